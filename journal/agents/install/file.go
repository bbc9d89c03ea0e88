package install

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"journal/journal/disk"
)

// Caller begins the text of a plugin in JavaScript: its run hands a payload to the agent's hook, and soon bounds a wait.
//
//go:embed caller.js
var Caller string

// content returns the file that calls journal according to w, with the granted rules. Its last line has a digest of
// everything before it. A file with another digest was edited, and is the person's.
func (f File) content(w wiring, granted []string) []byte {
	hook := []string{w.bin, "hook", w.agent.Name}
	if w.small != "" {
		hook = []string{w.small, w.agent.Name}
	}
	words, _ := json.Marshal(hook) // strings always encode
	body := strings.NewReplacer("{{.}}", Quote(w.bin), "{{hook}}", string(words)).Replace(f.Text) + "\n"
	if f.Granted != nil {
		body = strings.ReplaceAll(body, "{{rules}}", f.Granted(granted))
	}
	return []byte(body + f.trailer([]byte(body)))
}

// mark begins the last line.
func (f File) mark() string { return f.Comment[0] + "written by journal install, " }

func (f File) trailer(body []byte) string {
	sum := sha256.Sum256(body)
	return f.mark() + hex.EncodeToString(sum[:8]) + f.Comment[1] + "\n"
}

// maxSettings bounds how much is read of an agent's settings and of our own files, in bytes.
const maxSettings = 16 << 20

// isOurs reports whether a file is as we wrote it, in any version.
func (f File) isOurs(content []byte) bool {
	i := bytes.LastIndex(content, []byte(f.mark()))
	return i >= 0 && string(content[i:]) == f.trailer(content[:i])
}

// plan plans to write a file, or to remove it. A file that a person wrote or edited stays.
func (t target) plan(f File, granted []string, remove bool) (Plan, error) {
	t.path = t.file(f.Path)
	p, err := t.start(0o644)
	if err != nil {
		return Plan{}, err
	}
	if p.Before, err = disk.ReadFile(p.real, maxSettings); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Plan{}, t.unreadable(err)
	}
	var dirs []string // between the agent's directory and the file, innermost first
	for dir := filepath.Dir(t.path); dir != t.dir; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	switch {
	case p.Before != nil && !f.isOurs(p.Before):
		p.After = p.Before
		p.Notes = append(p.Notes, t.path+" was edited and stays as it is")
	case remove:
		p.dropDirs = dirs
	default:
		p.After = f.content(t.wiring, granted)
		p.makeDirs = append(dirs, t.dir)
		slices.Reverse(p.makeDirs)
	}
	p.Changed = !bytes.Equal(p.Before, p.After)
	return p, nil
}

var (
	// ErrRefused is returned by planning if the settings cannot be edited without risk: they are not JSON, or a part
	// that we would have to change has an unexpected type or occurs twice. The message has the position; the person
	// repairs the file and runs the command again.
	ErrRefused = errors.New("settings refused")

	// ErrChanged is returned by [Plan.Apply] if the settings have changed since the plan. Nothing was written; plan
	// again.
	ErrChanged = errors.New("settings changed since the plan was made")
)

// Error is an error for a person: what happened and where, and what to do about it.
type Error struct {
	Err error
	Try string // what to do next, one line
}

// Error returns the message without the advice.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the advice, to be printed after "try:".
func (e *Error) Hint() string { return e.Try }
