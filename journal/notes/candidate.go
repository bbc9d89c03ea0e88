package notes

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/events/shell"
	"journal/journal/disk"
)

// maxNames bounds how many names of a directory are read: docs/plans is the
// project's own and can hold anything.
const maxNames = 1000

// maxInner bounds how many directories of a deep place are read: a tool makes one for
// each session.
const maxInner = 50

// candidate is a file that may have something to tell.
type candidate struct {
	name string // as events name it
	path string // absolute
	kind string
	base string // links are followed to anywhere below it
	info fs.FileInfo
	err  error // of stat
}

func (c *candidate) stat() { c.info, c.err = os.Stat(c.path) }

// listed gives what the places hold, the most urgent first, and among files of
// one kind the newest.
func (w *Watcher) listed() []candidate {
	var all []candidate
	for _, p := range w.places {
		all = append(all, w.within(p)...)
	}
	for i := range all {
		all[i].stat()
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(slices.Index(urgency, a.kind), slices.Index(urgency, b.kind)), newer(a, b))
	})
	return all
}

// within gives the files of a place.
func (w *Watcher) within(p place) (all []candidate) {
	inner := 0
	for _, name := range names(p.path()) {
		if kind := p.kind(name); kind != "" {
			all = append(all, w.candidate(p, name, kind))
		} else if p.deep && filepath.Ext(name) == "" && inner < maxInner {
			inner++
			all = append(all, w.within(p.inner(name))...)
		}
	}
	return all
}

// newer orders files by the time of their last change, which decides what is
// read first and nothing else.
func newer(a, b candidate) int {
	if a.err != nil || b.err != nil {
		return 0
	}
	return b.info.ModTime().Compare(a.info.ModTime())
}

// names lists a directory; nil when it is not one or cannot be read.
func names(dir string) []string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	f, err := disk.OpenDir(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.Readdirnames(maxNames) // what was read before an error counts
	slices.Sort(list)
	return list
}

func (w *Watcher) candidate(p place, name, kind string) candidate {
	path := filepath.Join(p.path(), name)
	return candidate{name: w.name(path), path: path, kind: kind, base: p.base}
}

// name gives a path as events name it: below the project's root with slashes,
// else absolute.
func (w *Watcher) name(path string) string {
	if rel, err := filepath.Rel(w.root, path); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

// path is the inverse of name.
func (w *Watcher) path(name string) string {
	path := filepath.FromSlash(name)
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(w.root, path)
}

// written gives the candidates among the paths that a tool wrote. Any other path costs no system call.
func (w *Watcher) written(paths []string) []candidate {
	var all []candidate
	for _, path := range paths {
		if !filepath.IsAbs(path) {
			path = filepath.Join(w.root, path)
		}
		dir, name := filepath.Split(filepath.Clean(path))
		for _, p := range w.places {
			kind := p.kind(name)
			if kind == "" {
				continue
			}
			p, ok := p.at(filepath.Clean(dir))
			if !ok {
				continue
			}
			c := w.candidate(p, name, kind)
			c.stat()
			if !slices.ContainsFunc(all, func(o candidate) bool { return o.name == c.name }) {
				all = append(all, c)
			}
			break
		}
	}
	return all
}

// sameDir says whether a directory is that of a place, even when the agent names the project's root by another path.
func sameDir(dir string, p place) bool {
	if dir == p.path() {
		return true
	}
	if p.dir == "." || !strings.HasSuffix(filepath.ToSlash(dir), "/"+p.dir) {
		return false
	}
	a, err := os.Stat(dir)
	if err != nil {
		return false
	}
	b, err := os.Stat(p.path())
	return err == nil && os.SameFile(a, b)
}

// hint is how a file looked when it was observed last.
type hint struct {
	Kind  string `json:"kind"`
	Size  int64  `json:"size,omitempty"`
	Time  int64  `json:"time,omitempty"` // of its last change, ns since 1970
	Inode uint64 `json:"inode,omitempty"`
	// Unreadable says that it could not even be looked at.
	Unreadable bool `json:"unreadable,omitempty"`
}

// settled is how old a change has to be for the next one to get another time:
// file systems keep times to the tick of a clock, 10 ms at most.
const settled = 20 * time.Millisecond

// hintOf gives the hint of a file, and whether it can be relied on.
func hintOf(kind string, info fs.FileInfo, now time.Time) (hint, bool) {
	age := now.Sub(info.ModTime())
	return hint{
		Kind: kind, Size: info.Size(), Time: info.ModTime().UnixNano(), Inode: inode(info),
	}, age < 0 || age > settled
}

// maxHints bounds the file of them, in bytes: that of some 20,000 files.
const maxHints = 4 << 20

// hints are those of one project's files by name.
type hints map[string]hint

// loadHints reads the hints; a missing or damaged file has none.
func loadHints(path string) hints {
	var h hints
	b, err := disk.ReadFile(path, maxHints)
	if err != nil || json.Unmarshal(b, &h) != nil || h == nil {
		return hints{}
	}
	return h
}

// save replaces the hints in one step. It makes no journal directory: one that
// vanished must not come back by this. Nothing depends on its success.
func (h hints) save(path string) {
	b, err := json.Marshal(h)
	if err != nil {
		return
	}
	_ = os.Mkdir(filepath.Dir(path), 0o700)
	_ = disk.Replace(path, b, 0o600)
}

// Commanded observes those of the watched files that a shell command wrote, moved or
// removed, as Written does for a tool that tells its paths. They are found by their
// names: which directory a shell was in is not known for certain. A command that names
// none costs no system call.
func (w *Watcher) Commanded(command string) (found []File, commit func()) {
	patterns := written(command)
	if len(patterns) == 0 {
		return nil, func() {}
	}
	return w.look(func(known hints) []candidate {
		return slices.DeleteFunc(w.all(known), func(c candidate) bool {
			return !slices.ContainsFunc(patterns, func(p string) bool {
				ok, err := path.Match(p, path.Base(c.name))
				return ok && err == nil
			})
		})
	}, true)
}

// namesWatched says whether a text may hold the name of a watched file: only then a
// shell command is read further.
func namesWatched(s string) bool {
	for _, names := range [][]naming{projectNames, skillNames, compileNames, personNames} {
		if slices.ContainsFunc(names, func(n naming) bool { return strings.Contains(s, n.stem) }) {
			return true
		}
	}
	return false
}

// written gives the names of watched files that a shell command writes, as patterns of
// path.Match: the targets of >, >> and tee, the files of sed -i, and those of mv, cp and
// rm. What a command prints is not looked into, nor is a here-document.
func written(command string) (patterns []string) {
	if !namesWatched(command) {
		return nil
	}
	add := func(word string) {
		name := path.Base(strings.ReplaceAll(shell.Pattern(word), `\`, "/"))
		if namesWatched(name) && !slices.Contains(patterns, name) {
			patterns = append(patterns, name)
		}
	}
	for _, words := range shell.Commands(command) {
		var plain []string
		for i := 0; i < len(words); i++ {
			if shell.Redirects(words[i]) {
				if i++; i < len(words) {
					add(words[i])
				}
				continue
			}
			plain = append(plain, words[i])
		}
		for len(plain) > 0 && (plain[0] == "sudo" || plain[0] == "git" || plain[0] == "command" || strings.Contains(plain[0], "=")) {
			plain = plain[1:]
		}
		if len(plain) == 0 {
			continue
		}
		inPlace := slices.ContainsFunc(plain[1:], func(s string) bool {
			return strings.HasPrefix(s, "-i") || s == "--in-place" || strings.HasPrefix(s, "-pi")
		})
		switch path.Base(plain[0]) {
		case "sed", "perl", "gsed":
			if !inPlace {
				continue
			}
		case "tee", "mv", "cp", "rm", "touch", "truncate", "install", "unlink":
		default:
			continue
		}
		for _, word := range plain[1:] {
			add(word)
		}
	}
	return patterns
}
