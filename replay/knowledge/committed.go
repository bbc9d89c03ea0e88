package knowledge

import (
	"path"
	"slices"
	"strings"

	"journal/events/shell"
	"journal/projections"
)

// Committed are the files that were committed after they were written last, in one item. It
// comes with those of File, and the files are items of their own in audits.
const Committed Kind = "committed"

// maxCommitted bounds the paths that one item names, in UTF-16 units: it is never cut, and the
// other files are listed as files.
const maxCommitted = 3000

var _ = declare(Def{
	Kind: Committed,
	Text: Text{Place: 82, Turn: 73, Form: Line, Units: 400, Whole: maxCommitted, Grow: 9, Tiers: Tiers{Best: Useful, First: 1}, Summary: true},
})

// addition is what a commit took of the tree, and up to which event.
type addition struct {
	paths  []string // absolute; all below them
	seq    uint64   // where they were added
	commit uint64
}

type additions []addition

// of gives the commit that has a file as it was written last, 0 for none.
func (all additions) of(f projections.FileState) uint64 {
	for _, a := range slices.Backward(all) {
		if a.seq > f.LastSeq && slices.ContainsFunc(a.paths, func(p string) bool { return f.Path == p || strings.HasPrefix(f.Path, strings.TrimSuffix(p, "/")+"/") }) {
			return a.commit
		}
	}
	return 0
}

// commits lists what commands committed, as far as they say where they ran and what they took:
// what they leave open is not taken for committed.
func commits(f *projections.Fold) (done additions) {
	var waiting additions
	for c := range projections.Commands.In(f).All() {
		if !c.OK || c.Cwd == "" || !strings.Contains(c.Command, "git ") {
			continue
		}
		dir := c.Cwd
		for _, words := range shell.Commands(c.Command) {
			words = shell.Plain(words)
			if len(words) > 1 && words[0] == "cd" {
				dir = within(dir, words[1])
			}
			paths, commits := taken(words, dir)
			if len(paths) > 0 {
				waiting = append(waiting, addition{paths: paths, seq: c.Seq})
			}
			for i := range waiting {
				waiting[i].commit = c.Seq
			}
			if commits {
				done, waiting = append(done, waiting...), nil
			}
		}
	}
	return done
}

// taken says what a simple command of git adds, and whether it commits. What it takes of the
// whole tree is as much as lies where it runs.
func taken(words []string, dir string) (paths []string, commits bool) {
	if len(words) < 2 || words[0] != "git" {
		return nil, false
	}
	if words = words[1:]; words[0] == "-C" && len(words) > 2 {
		dir, words = within(dir, words[1]), words[2:]
	}
	commits = words[0] == "commit" && !slices.Contains(words, "--dry-run")
	if words[0] != "add" && !commits {
		return nil, false
	}
	for _, w := range words[1:] {
		switch {
		case w == "-A" || w == "--all" || w == "-u" || commits && (w == "-a" || w == "-am"):
			paths = append(paths, dir)
		case !commits && !strings.HasPrefix(w, "-"):
			paths = append(paths, within(dir, w))
		}
	}
	return paths, commits
}

func within(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
