package tree

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/git"
	"journal/journal/redact"
)

const (
	searchWait  = 500 * time.Millisecond // for the search
	grepBytes   = 64 << 10               // of git's output; the rest is not read
	maxUseLines = 12                     // recorded uses
	perFile     = 3                      // recorded uses in one file
	minSymbol   = 4                      // length of the shortest name: shorter ones are everywhere
)

// symbol is a name to search for, empty for none. Uses in path on the lines in known are left out.
type symbol struct {
	name, path string
	known      events.Range
}

// changedIn returns a function or type whose definition is in the newest change of a file since the newest request. It takes the newest
// file with such a definition that is no test, and in that file a mentioned symbol if there is one. all has the files, newest first.
func changedIn(m mentioned, all []*workFile, request uint64) (s symbol) {
	for _, f := range all {
		if f.file.WrittenSeq < request || text.IsTest(f.path) {
			continue
		}
		for _, d := range f.defs {
			changed := d.body && len(d.name) >= minSymbol && f.last.From <= d.line && d.line <= f.last.To
			if changed && (s.name == "" || !m.isMentioned(s.name) && m.isMentioned(d.name)) {
				s = symbol{d.name, f.path, f.last}
			}
		}
		if s.name != "" {
			break
		}
	}
	return s
}

// usesOf searches the tracked files below a directory for uses of a symbol. It returns an empty event if there are none. ok is false if the
// search was not completed: the event has what was found in time. A search with more output than grepBytes counts as completed.
func (o *Observer) usesOf(ctx context.Context, dir string, s symbol) (e events.UsesObserved, ok bool) {
	if s.name == "" {
		return e, true
	}
	ctx, cancel := context.WithTimeout(ctx, o.search)
	defer cancel()
	out, err := git.Output(ctx, dir, grepBytes, "grep", "-I", "-n", "-z", "-w", "-F", "--no-color", "--no-textconv", "--no-recurse-submodules", "-e", s.name)
	if exit, ended := errors.AsType[*exec.ExitError](err); ended && exit.ExitCode() == 1 {
		return e, true // git found nothing
	}
	inFile := map[string]int{} // number of uses, by path
	for line := range strings.Lines(out) {
		path, rest, _ := strings.Cut(line, "\x00")
		digits, code, _ := strings.Cut(rest, "\x00")
		n, err := strconv.Atoi(digits)
		quoted := !strings.Contains(stringsAndComments().ReplaceAllString(code, ""), s.name)
		if err != nil || quoted || path == s.path && s.known.From <= n && n <= s.known.To {
			continue
		}
		if inFile[path]++; inFile[path] > perFile || len(e.Lines) == maxUseLines {
			e.More++
			continue
		}
		e.Name = redact.Text(s.name)
		e.Lines = append(e.Lines, events.UseLine{Path: redact.Text(filepath.ToSlash(path)), Line: n})
	}
	return e, err == nil || errors.Is(err, git.ErrLong)
}
