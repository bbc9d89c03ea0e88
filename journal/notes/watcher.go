package notes

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/journal/wire"
)

// Bounds of one look (ADR-0007 rule 4).
const (
	maxRead = 20
	// After softStop no further file is begun; hardStop ends the wait for one that
	// was begun, on a disk that hangs. A hook has 1.2 s in all.
	softStop = 50 * time.Millisecond
	hardStop = 250 * time.Millisecond
	// maxLook bounds all observations of one look, as they are sent, so that they
	// fit into one request with the largest event: server and spool take 1 MiB.
	maxLook = 480 << 10
	// maxText bounds one text, in addition to its observation.
	maxText = maxLook - 8<<10
)

// Options configures a Watcher. The zero value looks at the places that the tools of docs/FILES.md use.
type Options struct {
	// Dirs are further directories with files of the known names; a relative one is below the project's root.
	Dirs []string
	// Memory lists what the agent's client keeps for its model.
	Memory []Memory
	// Pace returns how long a time budget lasts; nil: the budget itself.
	Pace func(budget time.Duration) time.Duration
}

// Watcher looks at the files of one project. It is for one goroutine.
type Watcher struct {
	root   string
	hints  string // path of the hints
	places []place
	memory []Memory

	softStop, hardStop time.Duration

	now   func() time.Time
	after func(time.Duration) <-chan time.Time
	fill  func(*File, []byte)
}

// New makes a watcher of the project at root for a person with that home directory, which may be empty. It touches
// nothing.
func New(journalDir, root, home string, o Options) *Watcher {
	root = filepath.Clean(root)
	if o.Pace == nil {
		o.Pace = func(budget time.Duration) time.Duration { return budget }
	}
	return &Watcher{
		root:   root,
		hints:  filepath.Join(journalDir, "observed", text.Digest(root)[:16]),
		places: places(root, home, o.Dirs, o.Memory), memory: o.Memory,

		softStop: o.Pace(softStop), hardStop: o.Pace(hardStop),

		now: time.Now, after: time.After, fill: (*File).fill,
	}
}

// All observes every file that has changed since it was last observed, and every
// one that is gone. commit remembers how the files looked; call it when the
// observations are durable. Reading ends after 20 files, 50 ms or 480 KiB of
// text; the next look continues there. The first file beyond these limits is a
// gap.
func (w *Watcher) All() (found []File, commit func()) {
	return w.look(w.all, false)
}

// all returns every candidate: the files of the places, and remembered ones that were removed.
func (w *Watcher) all(known hints) []candidate {
	all := w.listed()
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if !slices.ContainsFunc(all, func(c candidate) bool { return c.name == name }) {
			c := candidate{name: name, path: w.path(name), kind: known[name].Kind}
			c.stat()
			if c.err != nil { // otherwise its place is not watched any more
				all = append(all, c)
			}
		}
	}
	return all
}

// Written observes those of the given files that are watched, after a tool call has
// written them. Other files cost no system call.
func (w *Watcher) Written(paths []string) (found []File, commit func()) {
	changed := w.written(paths)
	if len(changed) == 0 {
		return nil, func() {}
	}
	return w.look(func(hints) []candidate { return changed }, true)
}

// File is one observation. Text is the content of the file, redacted; its sections
// are not in the observation yet (package sections).
type File struct {
	events.FileObserved
	Text wire.Text
}

func seenAs(c candidate) File {
	return File{FileObserved: events.FileObserved{Path: c.name, Kind: c.kind}}
}

// size is the size of an observation in a request: 512 bytes are more than its other
// members and the envelope.
func (f File) size() int { return 512 + len(f.Path) + f.Text.Size() }

// sight is the state of one file in a scan.
type sight struct {
	name  string
	found File
	hint  hint
	keep  bool // the hint
}

// look observes the candidates that changed. Calls that may hang run on another goroutine.
func (w *Watcher) look(candidates func(hints) []candidate, written bool) ([]File, func()) {
	sights := make(chan sight, maxRead)
	var current atomic.Pointer[sight]
	enough := make(chan struct{})
	defer close(enough)
	go func() {
		defer close(sights)
		defer func() { // a panic over one file must not break the hook
			r, s := recover(), current.Swap(nil)
			if r == nil || s == nil {
				return
			}
			failed := *s
			failed.found.Gap = fmt.Sprintf("reading it failed: %v", r)
			select {
			case sights <- failed:
			case <-enough:
			}
		}()
		began := w.now()
		known := loadHints(w.hints)
		reads, left := 0, maxLook
		for _, c := range candidates(known) {
			s := sight{name: c.name, found: seenAs(c)}
			switch old, seen := known[c.name]; {
			case errors.Is(c.err, fs.ErrNotExist):
				if !seen {
					continue
				}
				s.found.Gone = true
			case seen && !w.changed(old, c):
				continue
			case reads == maxRead:
				s.found.Gap = gapFiles
			case w.now().Sub(began) > w.softStop:
				s.found.Gap = gapTime
			default:
				late := s
				late.found.Gap = gapTime
				current.Store(&late)
				var content []byte
				if s.found, content, s.hint, s.keep = w.open(c); s.found.Gap == "" {
					// If its content takes too long now, it would again next time.
					busy := late
					busy.hint, busy.keep = s.hint, s.keep
					current.Store(&busy)
					w.fill(&s.found, content)
					s.found.Loaded = w.loaded(c, content)
				}
				s.found.Written = written
				current.Store(nil)
				reads++
			}
			if left -= s.found.size(); left < 0 {
				return
			}
			select {
			case sights <- s:
			case <-enough:
				return
			}
			if s.found.Gap == gapFiles || s.found.Gap == gapTime {
				return
			}
		}
	}()
	return w.collect(sights, &current)
}

func (w *Watcher) collect(sights <-chan sight, current *atomic.Pointer[sight]) ([]File, func()) {
	var all []sight
	late := w.after(w.hardStop)
	for open := true; open; {
		select {
		case s, ok := <-sights:
			open = ok
			if ok {
				all = append(all, s)
			}
		case <-late:
			open = false
			if s := current.Load(); s != nil {
				all = append(all, *s)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b sight) int {
		return cmp.Compare(slices.Index(reportOrder, a.found.Kind), slices.Index(reportOrder, b.found.Kind))
	})
	var found []File
	for _, s := range all {
		s.found.Path = redact.Text(s.found.Path)
		found = append(found, s.found)
	}
	return found, func() { w.commit(all) }
}

// loaded returns how many lines of a file the client gives to its model by itself.
func (w *Watcher) loaded(c candidate, content []byte) int {
	i := slices.IndexFunc(w.memory, func(m Memory) bool { return m.Loaded == filepath.Base(c.path) })
	if i < 0 || c.kind != events.MemoryFile {
		return 0
	}
	lines := bytes.Count(content, []byte("\n")) + 1
	if most := w.memory[i].Lines; most > 0 {
		lines = min(lines, most)
	}
	return lines
}

// changed reports whether a file's size, time or identity differs from the remembered one.
func (w *Watcher) changed(old hint, c candidate) bool {
	if c.err != nil {
		return !old.Unreadable
	}
	seen, _ := hintOf(c.kind, c.info, w.now())
	return old != seen
}

// commit remembers the observed files, and keeps entries that other processes remembered meanwhile.
func (w *Watcher) commit(all []sight) {
	if len(all) == 0 {
		return
	}
	known := loadHints(w.hints)
	for _, s := range all {
		switch {
		case s.keep:
			known[s.name] = s.hint
		case s.found.Gone:
			delete(known, s.name)
		default:
			// Remembered, so that its removal is seen, but to be read again.
			known[s.name] = hint{Kind: s.found.Kind}
		}
	}
	known.save(w.hints)
}

// MaxAppended bounds a file that Append writes to, in bytes.
const MaxAppended = 64 << 20

// Append appends markdown to a file of notes, after an empty line. It makes the file if it does not
// exist.
func Append(path, markdown string) error {
	old, err := disk.ReadFile(path, MaxAppended)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	switch {
	case len(old) == 0:
	case !strings.HasSuffix(string(old), "\n"):
		markdown = "\n\n" + markdown
	case !strings.HasSuffix(string(old), "\n\n"):
		markdown = "\n" + markdown
	}
	f, err := disk.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o644)
	if err != nil {
		return err
	}
	_, err = f.WriteString(markdown)
	return errors.Join(err, f.Close())
}
