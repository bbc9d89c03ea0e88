package notes

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/disk"
)

// maxNames bounds the names that are read in a directory: docs/plans belongs to
// the project and can hold any number of files.
const maxNames = 1000

// maxInner bounds the directories that are read in a deep place: a tool makes a
// directory for each session.
const maxInner = 50

// candidate is a file that may have changed.
type candidate struct {
	name string // in events
	path string // absolute
	kind string
	base string // links may lead anywhere below base; empty for a removed file
	info fs.FileInfo
	err  error // of os.Stat, with which info is nil
}

// stat sets info and err.
func (c *candidate) stat() { c.info, c.err = os.Stat(c.path) }

// listFiles returns the files of the places, the most urgent kind first, and within a
// kind the newest first.
func (w *Watcher) listFiles() []candidate {
	var all []candidate
	for _, p := range w.places {
		all = append(all, w.filesIn(p)...)
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(slices.Index(urgency, a.kind), slices.Index(urgency, b.kind)), newestFirst(a, b))
	})
	return all
}

// filesIn returns the watched files of a place.
func (w *Watcher) filesIn(p place) (all []candidate) {
	inner := 0
	for _, name := range names(p.path()) {
		if kind := p.kind(name); kind != "" {
			all = append(all, w.candidate(p, name, kind))
		} else if p.deep && filepath.Ext(name) == "" && inner < maxInner { // probably a directory
			inner++
			all = append(all, w.filesIn(p.inner(name))...)
		}
	}
	return all
}

// newestFirst orders files for reading by the time of their last change.
func newestFirst(a, b candidate) int {
	if a.err != nil || b.err != nil {
		return 0 // a file without info has no time
	}
	return b.info.ModTime().Compare(a.info.ModTime())
}

// names returns the sorted names in a directory, nil for anything but a readable directory.
func names(dir string) []string {
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return nil
	}
	f, err := disk.OpenDir(dir)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.Readdirnames(maxNames) // after an error the names read so far count
	slices.Sort(list)
	return list
}

// candidate returns the candidate for a file in the directory of a place.
func (w *Watcher) candidate(p place, name, kind string) candidate {
	path := filepath.Join(p.path(), name)
	c := candidate{name: w.name(path), path: path, kind: kind, base: p.base}
	c.stat()
	return c
}

// name returns the name of a path in events, with slashes: relative for a path below the
// project's root, else absolute.
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

// candidatesAmong returns the watched files among the paths that a tool wrote. Another path costs no system call.
func (w *Watcher) candidatesAmong(paths []string) []candidate {
	var all []candidate
	for _, path := range paths {
		dir, name := filepath.Split(filepath.Clean(w.path(path)))
		for _, p := range w.places {
			kind := p.kind(name)
			if kind == "" {
				continue
			}
			p, ok := p.placeOf(filepath.Clean(dir))
			if !ok {
				continue
			}
			c := w.candidate(p, name, kind)
			if !slices.ContainsFunc(all, func(o candidate) bool { return o.name == c.name }) {
				all = append(all, c)
			}
			break
		}
	}
	return all
}

// sameDir reports whether a path is that of a place's directory. The agent may use another path of the project's root.
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

// hint holds the size, time and identity that a file had when it was last observed.
type hint struct {
	Kind  string `json:"kind"`
	Size  int64  `json:"size,omitempty"`
	Time  int64  `json:"time,omitempty"` // of its last change, ns since 1970
	Inode uint64 `json:"inode,omitempty"`
	// Unreadable is set if os.Stat failed for the file.
	Unreadable bool `json:"unreadable,omitempty"`
}

// settled is the age of a change above which any later change surely has another time:
// the times of file systems have a resolution of 10 ms or better.
const settled = 20 * time.Millisecond

// hintOf returns the hint for a file. ok is false if a later change of the file could have the same hint. A time in the future is of
// another clock, and no later change has it.
func hintOf(kind string, info fs.FileInfo, now time.Time) (h hint, ok bool) {
	age := now.Sub(info.ModTime())
	return hint{
		Kind: kind, Size: info.Size(), Time: info.ModTime().UnixNano(), Inode: inode(info),
	}, age < 0 || age > settled
}

// maxHints bounds the file of hints, in bytes: enough for some 20,000 files.
const maxHints = 4 << 20

// hints holds the hints of one project's files by the names of the files.
type hints map[string]hint

// loadHints reads a file of hints. It returns none for a missing or damaged file.
func loadHints(path string) hints {
	var h hints
	b, err := disk.ReadFile(path, maxHints)
	if err != nil || json.Unmarshal(b, &h) != nil || h == nil {
		return hints{}
	}
	return h
}

// save replaces the file of hints in one step. It makes the directory of the file, but not the
// journal directory, which a person may have removed. Nothing depends on its success.
func (h hints) save(path string) {
	b, err := json.Marshal(h)
	if err != nil {
		return
	}
	_ = os.Mkdir(filepath.Dir(path), 0o700)
	_ = disk.Replace(path, b)
}
