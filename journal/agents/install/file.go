package install

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"journal/journal/disk"
)

// Caller is the beginning of a plugin in JavaScript. It defines the function run, which passes a payload to the agent's hook, and the
// function soon, which limits the time for which it waits.
//
//go:embed caller.js
var Caller string

// content returns the content of the file for an installation, with the granted rules. The last line has a digest of the lines before
// it. If a file has another digest, the person has edited it.
func (f File) content(w wiring, granted []string) []byte {
	hook := []string{w.bin, "hook", w.agent.Name}
	if w.hookProgram != "" {
		hook = []string{w.hookProgram, w.agent.Name}
	}
	words, _ := json.Marshal(hook) // strings always encode
	body := strings.NewReplacer("{{.}}", Quote(w.bin), "{{hook}}", string(words)).Replace(f.Text) + "\n"
	if f.Granted != nil {
		body = strings.ReplaceAll(body, "{{rules}}", f.Granted(granted))
	}
	return []byte(body + f.trailer([]byte(body)))
}

// mark returns the beginning of the last line of the file.
func (f File) mark() string { return f.Comment[0] + "written by journal install, " }

// trailer returns the last line of the file. body has the lines before it.
func (f File) trailer(body []byte) string { return f.mark() + digest(body)[:16] + f.Comment[1] + "\n" }

// maxSettings bounds the size of settings and of our files, in bytes. The file of an original, which is JSON, may have twice as many.
const maxSettings = 16 << 20

// isOurs reports whether a file was written by journal, in any version, and not edited since.
func (f File) isOurs(content []byte) bool {
	i := bytes.LastIndex(content, []byte(f.mark()))
	return i >= 0 && string(content[i:]) == f.trailer(content[:i])
}

// calls reports whether the agent calls hooks by this file.
func (f File) calls() bool { return strings.Contains(f.Text, "{{hook}}") }

// program returns the program that the content of a file calls for hooks, also after a person edited it; "" if it calls none.
func (f File) program(content []byte) string {
	before, _, _ := strings.Cut(f.Text, "{{hook}}")
	_, rest, _ := strings.Cut(string(content), before[strings.LastIndexByte(before, '\n')+1:])
	var words []string
	if json.NewDecoder(strings.NewReader(rest)).Decode(&words) != nil || len(words) == 0 {
		return ""
	}
	return words[0]
}

// plan plans to write a file of ours, or to remove it if remove is set. If a person wrote or edited the file, it stays;
// that is an error if nothing would call journal then.
func (t target) plan(f File, granted []string, remove bool) (Plan, error) {
	t.path = t.file(f.Path)
	p, err := t.start(0o644)
	if err != nil {
		return Plan{}, err
	}
	if p.Before, err = disk.ReadFile(p.real, maxSettings); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Plan{}, t.unreadable(err)
	}
	var dirs []string // directories between the agent's directory and the file, innermost first
	for dir := filepath.Dir(t.path); dir != t.dir; dir = filepath.Dir(dir) {
		dirs = append(dirs, dir)
	}
	switch {
	case p.Before != nil && !f.isOurs(p.Before):
		if f.calls() && !remove && f.program(p.Before) == "" {
			return Plan{}, &Error{
				Err: fmt.Errorf("%s is in the way: it calls no journal", t.path),
				Try: "move it away, then run the command again",
			}
		}
		p.After = p.Before
		p.Notes = append(p.Notes, t.path+" was edited and stays as it is")
	case remove:
		p.dropDirs = dirs
		if t.agent.Settings == nil {
			p.dropDirs = append(p.dropDirs, t.upwards(t.dir)...)
		}
	default:
		if p.makeDirs, err = t.missing(t.dir); err != nil {
			return Plan{}, err
		}
		p.After = f.content(t.wiring, granted)
		slices.Reverse(dirs)
		p.makeDirs = append(p.makeDirs, dirs...)
	}
	p.Changed = !bytes.Equal(p.Before, p.After)
	return p, nil
}

var (
	// ErrRefused is returned by planning if the settings cannot be edited safely: they are not JSON, or a part to be changed has an
	// unexpected type or occurs twice. The message has the position. The person must repair the file.
	ErrRefused = errors.New("settings refused")

	// ErrChanged is returned by [Plan.Apply] if the settings have changed since the plan. Nothing was written.
	ErrChanged = errors.New("settings changed since the plan was made")
)

// Error is an error with advice for a person.
type Error struct {
	Err error
	Try string // the advice, one line
}

// Error returns the message without the advice.
func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Hint returns the advice, which is printed after "try:".
func (e *Error) Hint() string { return e.Try }
