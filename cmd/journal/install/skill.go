package install

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"path/filepath"
	"strings"
)

// skillSource tells an agent that the journal exists and what to use it for:
// without it nobody records decisions (DECISIONS section 4). It stands for the
// command of journal by {{.}}.
//
//go:embed skill.md
var skillSource string

// skillMark begins the last line of a skill that we wrote; a digest of all before
// it follows. A skill whose digest is another was edited, and is the person's.
const skillMark = "<!-- written by journal install, "

// skill returns the file that tells an agent how to call journal at bin.
func skill(bin string) []byte {
	body := strings.ReplaceAll(skillSource, "{{.}}", shellQuote(bin))
	return []byte(body + "\n" + skillTrailer([]byte(body+"\n")))
}

func skillTrailer(body []byte) string {
	sum := sha256.Sum256(body)
	return skillMark + hex.EncodeToString(sum[:8]) + " -->\n"
}

// isOurSkill reports whether a file is as we wrote it, in whatever version.
func isOurSkill(content []byte) bool {
	i := bytes.LastIndex(content, []byte(skillMark))
	return i >= 0 && string(content[i:]) == skillTrailer(content[:i])
}

// PlanSkill plans to put the skill of journal beside the agent's settings, or to
// take it out. A skill that a person edited or wrote stays. Agents without
// skills give a plan that changes nothing.
func PlanSkill(o Options, remove bool) (Plan, error) {
	t, err := o.resolve()
	if err != nil || !t.agent.Skills {
		return Plan{}, err
	}
	settings := t.path
	top := filepath.Join(filepath.Dir(settings), "skills")
	t.path = filepath.Join(top, "journal", "SKILL.md")
	p, err := t.readSkill()
	if err != nil {
		return Plan{}, err
	}
	switch {
	case p.Before != nil && !isOurSkill(p.Before):
		p.After = p.Before
		p.Notes = append(p.Notes, t.path+" was edited and stays as it is")
	case remove:
		p.dropDirs = []string{filepath.Join(top, "journal"), top}
	default:
		p.After = skill(t.bin)
		p.makeDirs = []string{filepath.Dir(settings), top, filepath.Join(top, "journal")}
	}
	p.Changed = !bytes.Equal(p.Before, p.After)
	return p, nil
}

// readSkill starts a plan for a file whose directories need not be there.
func (t target) readSkill() (Plan, error) {
	p := Plan{Path: t.path, mode: 0o644}
	var err error
	if p.real, err = follow(t.path); err != nil {
		return Plan{}, t.unreadable(err)
	}
	p.Before, err = readIfThere(p.real)
	if err != nil {
		return Plan{}, t.unreadable(err)
	}
	return p, nil
}
