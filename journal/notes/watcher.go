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

// Bounds of one scan (ADR-0007 rule 4).
const (
	maxRead = 20 // files
	// After softStop the scan begins no further file. After hardStop it ends, even if
	// the file that it reads hangs with the disk. A hook has 1.2 s in all.
	softStop = 50 * time.Millisecond
	hardStop = 250 * time.Millisecond
	// maxScan bounds the size of all observations of a scan, in bytes, so that they
	// fit into one request with the largest event: server and spool take 1 MiB.
	maxScan = 480 << 10
	// maxText bounds one text in the form in which it is sent, in bytes.
	maxText = maxScan - 8<<10
)

// Options configures a Watcher. The zero value watches the places that the tools of docs/FILES.md use.
type Options struct {
	// Dirs are further directories with files of the known names; a relative one is below the project's root.
	Dirs []string
	// Memory lists the files that the agent's client keeps for its model.
	Memory []Memory
	// Pace lengthens the bounds of a scan.
	Pace wire.Pace
}

// Watcher observes the watched files of one project. It is not safe for concurrent use.
type Watcher struct {
	root      string
	hintsPath string // of the file of hints
	places    []place
	memory    []Memory

	softStop, hardStop time.Duration

	// Tests replace the clock and File.fill.
	now   func() time.Time
	after func(time.Duration) <-chan time.Time
	fill  func(*File, []byte)
}

// New returns a watcher of the project at root, for the person with the home directory home. An empty home means that the
// person's files are not watched. New touches no file.
func New(journalDir, root, home string, o Options) *Watcher {
	root = filepath.Clean(root)
	return &Watcher{
		root:      root,
		hintsPath: filepath.Join(journalDir, "observed", text.Digest(root)[:16]),
		places:    places(root, home, o.Dirs, o.Memory), memory: o.Memory,

		softStop: o.Pace.Of(softStop), hardStop: o.Pace.Of(hardStop),

		now: time.Now, after: time.After, fill: (*File).fill,
	}
}

// All observes every watched file that was changed or removed since it was last
// observed. commit saves the hints of these files; call it when the observations
// are durable. The scan ends after maxRead files, softStop or maxScan bytes, and the next scan
// continues there. After maxRead files or softStop the next file is observed with this limit
// as its gap. So is a file that is still being read at hardStop.
func (w *Watcher) All() (found []File, commit func()) {
	return w.scan(w.all, false)
}

// all returns every candidate: the files of the places, and the files that have a hint and were removed.
func (w *Watcher) all(known hints) []candidate {
	all := w.listFiles()
	for _, name := range slices.Sorted(maps.Keys(known)) {
		if !slices.ContainsFunc(all, func(c candidate) bool { return c.name == name }) {
			c := candidate{name: name, path: w.path(name), kind: known[name].Kind}
			c.stat()
			if c.err != nil { // else the file exists, in a place that is not watched any more
				all = append(all, c)
			}
		}
	}
	return all
}

// Written observes the watched files among the paths that a tool call has written.
// Another path costs no system call. commit is as for All.
func (w *Watcher) Written(paths []string) (found []File, commit func()) {
	changed := w.candidatesAmong(paths)
	if len(changed) == 0 {
		return nil, func() {}
	}
	return w.scan(func(hints) []candidate { return changed }, true)
}

// File is one observation. Text is the content of the file, redacted; its sections
// are not in the observation yet (package sections).
type File struct {
	events.FileObserved
	Text wire.Text
}

// fileOf returns an observation of a candidate without content.
func fileOf(c candidate) File {
	return File{FileObserved: events.FileObserved{Path: c.name, Kind: c.kind}}
}

// size returns an upper bound for the size of an observation in a request, in bytes: the
// members besides path and text, and the envelope, take less than 512.
func (f File) size() int { return 512 + len(f.Path) + f.Text.Size() }

// observation is the observation of one file in a scan, with the hint to save.
type observation struct {
	name  string
	found File
	hint  hint
	keep  bool // the hint can be saved as it is
}

// scan observes the candidates that changed. written is the value of Written for files that are read. Another goroutine reads the
// files, because reading may hang.
func (w *Watcher) scan(candidates func(hints) []candidate, written bool) (found []File, commit func()) {
	observed := make(chan observation, maxRead)
	var current atomic.Pointer[observation] // the observation to report if the file that is being read hangs or panics
	stop := make(chan struct{})
	defer close(stop)
	send := func(o observation) (sent bool) {
		select {
		case observed <- o:
			return true
		case <-stop:
			return false
		}
	}
	go func() {
		defer close(observed)
		defer func() { // a panic over one file must not break the hook
			r, o := recover(), current.Swap(nil)
			if r != nil && o != nil {
				failed := *o
				failed.found.Gap = fmt.Sprintf("reading it failed: %v", r)
				send(failed)
			}
		}()
		w.observeChanged(candidates, written, &current, send)
	}()
	return w.collect(observed, &current)
}

// observeChanged passes an observation of each candidate that changed to send, until a bound of the scan is reached or send returns
// false.
func (w *Watcher) observeChanged(candidates func(hints) []candidate, written bool, current *atomic.Pointer[observation], send func(observation) bool) {
	began := w.now()
	known := loadHints(w.hintsPath)
	reads, room := 0, maxScan
	for _, c := range candidates(known) {
		o := observation{name: c.name, found: fileOf(c)}
		switch old, seen := known[c.name]; {
		case errors.Is(c.err, fs.ErrNotExist):
			if !seen {
				continue
			}
			o.found.Gone = true
		case seen && !w.changed(old, c):
			continue
		case reads == maxRead:
			o.found.Gap = gapFiles
		case w.now().Sub(began) > w.softStop:
			o.found.Gap = gapTime
		default:
			o = w.observe(c, current)
			o.found.Written = written
			reads++
		}
		room -= o.found.size()
		if room < 0 || !send(o) || o.found.Gap == gapFiles || o.found.Gap == gapTime {
			return
		}
	}
}

// observe observes a file with its content. Meanwhile current holds the observation to report if reading does not end in time, or
// panics.
func (w *Watcher) observe(c candidate, current *atomic.Pointer[observation]) observation {
	late := observation{name: c.name, found: fileOf(c)}
	late.found.Gap = gapTime
	current.Store(&late)
	found, content, h, keep := w.open(c)
	o := observation{c.name, found, h, keep}
	if found.Gap == "" {
		// A content that takes too long now would take too long next time too, so the hint of its file is kept.
		current.Store(&observation{c.name, late.found, h, keep})
		w.fill(&o.found, content)
		o.found.Loaded = w.loaded(c, content)
	}
	current.Store(nil)
	return o
}

// collect receives the observations of a scan until the scan ends or hardStop is over. It returns them in reportOrder, and the
// function that saves their hints.
func (w *Watcher) collect(observed <-chan observation, current *atomic.Pointer[observation]) (found []File, commit func()) {
	var all []observation
	late := w.after(w.hardStop)
	for open := true; open; {
		select {
		case o, ok := <-observed:
			open = ok
			if ok {
				all = append(all, o)
			}
		case <-late:
			open = false
			if o := current.Load(); o != nil {
				all = append(all, *o)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b observation) int {
		return cmp.Compare(slices.Index(reportOrder, a.found.Kind), slices.Index(reportOrder, b.found.Kind))
	})
	for _, o := range all {
		o.found.Path = redact.Text(o.found.Path)
		found = append(found, o.found)
	}
	return found, func() { w.commit(all) }
}

// loaded returns the number of lines of a file that the client itself loads into the model's context, 0 for none. The end of the file
// after a line break counts as a line.
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

// changed reports whether a file differs from its hint.
func (w *Watcher) changed(old hint, c candidate) bool {
	if c.err != nil {
		return !old.Unreadable
	}
	seen, _ := hintOf(c.kind, c.info, w.now())
	return old != seen
}

// commit saves the hints of the observed files. It keeps hints that other processes saved meanwhile.
func (w *Watcher) commit(all []observation) {
	if len(all) == 0 {
		return
	}
	known := loadHints(w.hintsPath)
	for _, o := range all {
		switch {
		case o.keep:
			known[o.name] = o.hint
		case o.found.Gone:
			delete(known, o.name)
		default:
			// This hint makes a later removal visible. It differs from any file, so that the file is read again.
			known[o.name] = hint{Kind: o.found.Kind}
		}
	}
	known.save(w.hintsPath)
}

// MaxAppended bounds a file to which Append can append, in bytes.
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
