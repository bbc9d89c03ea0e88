// Package writer stores events. It is the only place where an event gets its sequence and its echo mark (ADR-0001): a hook only reports
// facts.
//
// It also keeps the second copy of the log: the archiver copies what the writer has stored, and the scrubber reads both copies slowly while
// the owner is idle.
package writer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/projections"
)

// StoreWait bounds the storing of one event outside of an atomic batch. On a full disk the server does not answer, and the hook spools.
const StoreWait = 2 * time.Second

// healthInterval is the time between two checks of the server's health while it stores events. After a write error the server never
// answers, but reports itself unhealthy.
const healthInterval = 100 * time.Millisecond

// Writer appends to the log. Every event goes through a Batch of the writer: reports of hooks and scripts, files of the spool, answers, and
// the owner's own findings. The batch sets the echo mark, encodes the event, stores it, and notifies every Listener.
//
// The writer's lock is held from the marking of a report until the report is stored, because a mark depends on the events before it. It is
// also held during a whole drain of the spool. It guards the fields below mu, the data that Listeners derive from the log, and some fields
// of intake.Intake.
type Writer struct {
	Config

	listeners []Listener
	repeats   func(events.Envelope) uint64 // see Connect

	mu           sync.Mutex
	head         uint64 // newest sequence
	lanes        lanes
	sequences    sequences
	projects     map[string]bool // keys of the projects whose path the log is known to have
	windows      windows         // nil until the first use
	sessions     sessions
	processes    processes
	observations observations
	falls        falls
}

// Config holds the log of a Writer and its callbacks. All fields are required.
type Config struct {
	Log         *journal.Log
	Dirs        interface{ Sync() error } // syncs the directories of the store
	Dir         string                    // of the journal
	Note        func(seq uint64)          // notifies the second copy of a stored event; it never waits
	OnError     func(error)
	Healthy     func() error // of the server
	OnUnhealthy func()       // makes the owner check its health at once
}

// Listener receives every event, in the order of the log and under the writer's lock. It must not block, nor call the writer.
type Listener interface {
	// Remember receives one of the newest events that the log held when the owner started.
	Remember(e events.Envelope)
	// Stored receives an event that was just stored.
	Stored(e events.Envelope)
}

// ErrUnhealthy is returned if the store takes no writes until the server is restarted. Hooks spool until then.
var ErrUnhealthy = errors.New("the owner leaves")

// New returns a writer. Call Connect and Remember before it appends.
func New(c Config) *Writer {
	return &Writer{Config: c, sessions: sessions{}, processes: processes{}, lanes: lanes{}, projects: map[string]bool{}, observations: observations{}, falls: falls{}}
}

// Connect sets the listeners and repeats. Under the lock repeats returns the sequence of the transcript's event that an event repeats, 0 if
// there is none.
func (w *Writer) Connect(repeats func(events.Envelope) uint64, all ...Listener) {
	w.repeats, w.listeners = repeats, all
}

// Lock takes the writer's lock.
func (w *Writer) Lock() { w.mu.Lock() }

// Unlock releases the writer's lock.
func (w *Writer) Unlock() { w.mu.Unlock() }

// Head returns the sequence of the newest event.
func (w *Writer) Head() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head
}

// Newest returns the same as Head, for a caller that holds the lock.
func (w *Writer) Newest() uint64 { return w.head }

// Projects returns the keys of the projects from which a report with a path has come since the owner started.
func (w *Writer) Projects() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.projects))
}

// remembered is the number of the newest events that Remember reads: usually enough for the newest laneTail reports of a lane in use.
const remembered = 256

// Remember reads the newest events of a log that ends at head, because echo marks depend on them, and passes them to the listeners.
func (w *Writer) Remember(ctx context.Context, head uint64) error {
	w.head = head
	return w.readLog(ctx, events.Span{After: head - min(head, remembered), Until: head}, func(e events.Envelope) {
		w.lanes.note(e)
		w.sequences.put(e.ID, e.Seq)
		w.falls.note(e)
		for _, l := range w.listeners {
			l.Remember(e)
		}
	})
}

// readLog calls visit with the selected events of a span of the log, up to the first missing record. OnError gets the errors of missing
// and unreadable records, and readLog returns only other errors, so that appending goes on. The caller holds the lock.
func (w *Writer) readLog(ctx context.Context, span events.Span, visit func(events.Envelope), sel ...events.Selector) error {
	for e, err := range w.Log.Events(ctx, span, sel...) {
		if errors.Is(err, journal.ErrHole) {
			w.OnError(err)
			return nil
		}
		if errors.Is(err, events.ErrMalformed) {
			w.OnError(err)
			continue
		}
		if err != nil {
			return err
		}
		visit(e)
	}
	return nil
}

// projectEntry returns a project's entry in a table. At the first use it creates the entry and calls note with the project's events of the
// given types. The caller holds the lock.
func projectEntry[T any](ctx context.Context, w *Writer, table map[string]map[string]T, note func(events.Envelope), project string, types ...events.Type) (map[string]T, error) {
	if entry := table[project]; entry != nil {
		return entry, nil
	}
	table[project] = map[string]T{}
	err := w.readLog(ctx, events.Span{Until: w.head}, note, events.Selector{Project: project}.Of(types...)...)
	if err != nil {
		delete(table, project)
	}
	return table[project], err
}

// Append takes the lock and calls Store.
func (w *Writer) Append(ctx context.Context, all ...*Draft) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Store(ctx, all...)
}

// Record appends an event of the owner itself with an id.
func (w *Writer) Record(ctx context.Context, t projections.Target, agent, id string, ev events.Event) error {
	d, err := DraftOf(ev, events.Meta{
		ID: id, At: time.Now().UnixNano(), Agent: agent, Session: t.Session, Lane: t.Lane, Project: t.Project,
	})
	if err != nil {
		return err
	}
	return w.Append(ctx, d)
}

// Report stores a report that Settle has put into its project. root is the path of that project, or empty; it is recorded once. The caller
// holds the lock.
func (w *Writer) Report(ctx context.Context, all []*Draft, root string) error {
	seen, err := w.ProjectSeen(ctx, all[0].Meta, root)
	if err != nil {
		return err
	}
	if seen != nil {
		all = append([]*Draft{seen}, all...)
	}
	return w.Store(ctx, all...)
}

// Store appends events in their order and returns when they are synced to disk. Each event then has its Sequence. Consecutive events of one
// cause are one report. An event that the log holds keeps its sequence, and an observation that adds nothing gets the sequence of the
// stored observation. After an error some events may be stored: the caller retries with all of them, under the same ids. The caller holds
// the lock.
func (w *Writer) Store(ctx context.Context, all ...*Draft) error {
	b := w.Batch()
	if err := b.AddAll(ctx, all); err != nil {
		return err
	}
	return b.Flush(ctx)
}

// reportLength returns the number of the first events that belong to one report.
func reportLength(all []*Draft) int {
	n := 1
	for n < len(all) && causeOf(all[n].Meta) == causeOf(all[0].Meta) {
		n++
	}
	return n
}

// mark completes the n-th event of a report, from 0, and sets its echo mark. original is the report that this report repeats, nil for none.
func (w *Writer) mark(ctx context.Context, d *Draft, original *report, n int) error {
	complete := w.completeRewind
	if d.Type == events.TypeOf[events.UsageSampled]() {
		complete = w.completeSample
	}
	changed, err := complete(ctx, &d.Envelope)
	if err != nil {
		return err
	}
	if original != nil && d.Type != events.TypeOf[events.FileObserved]() {
		d.EchoOf = original.seqs[min(n, len(original.seqs)-1)] // if an echo has more events than the original, the others repeat its last
	} else if seq := w.repeats(d.Envelope); seq != 0 {
		d.EchoOf = seq
	}
	if !changed && d.EchoOf == 0 {
		return nil
	}
	return d.encode()
}

// put stores one event.
func (w *Writer) put(ctx context.Context, d *Draft) error {
	ctx, cancel := context.WithTimeout(ctx, StoreWait)
	defer cancel()
	seq, duplicate, err := w.Log.Store(ctx, d.Record)
	if err != nil {
		return err
	}
	if err := w.Dirs.Sync(); err != nil {
		return err
	}
	return w.note(ctx, d, seq, duplicate)
}

// withHealthCheck calls store, and cancels its context when the server has become unhealthy. The error is then ErrUnhealthy.
func (w *Writer) withHealthCheck(ctx context.Context, store func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var watch sync.WaitGroup
	defer watch.Wait()
	stored := make(chan struct{})
	defer close(stored)
	watch.Go(func() {
		ticker := time.NewTicker(healthInterval)
		defer ticker.Stop()
		for {
			select {
			case <-stored:
				return
			case <-ticker.C:
			}
			if err := w.Healthy(); err != nil {
				cancel(fmt.Errorf("%w: %w", ErrUnhealthy, err))
				w.OnUnhealthy()
				return
			}
		}
	})
	err := store(ctx)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, ErrUnhealthy) {
		return cause
	}
	return err
}

// note records that an event is in the log under a sequence, after the older events that are not recorded yet. duplicate is true if the log
// held the event before: then note records only its sequence.
func (w *Writer) note(ctx context.Context, d *Draft, seq uint64, duplicate bool) error {
	older := seq // all events up to this one were in the log before
	if !duplicate {
		older--
	}
	if older > w.head { // the log has events without an acknowledgement: the server answered too late, or a sync failed
		if err := w.readLog(ctx, events.Span{After: w.head, Until: older}, w.apply); err != nil {
			return err
		}
	}
	d.Sequence, d.InLog = seq, duplicate
	if duplicate {
		w.sequences.put(d.ID, seq)
		return nil
	}
	e := d.Envelope
	e.Seq = seq
	w.apply(e)
	return nil
}

// apply updates the tables for an event that has just been stored, and notifies the listeners.
func (w *Writer) apply(e events.Envelope) {
	if _, err := events.Open(e); err != nil {
		w.OnError(fmt.Errorf("an event is stored that readers leave out: %w", err))
	}
	w.head = e.Seq
	w.Note(e.Seq)
	w.sequences.put(e.ID, e.Seq)
	w.lanes.note(e)
	w.observations.note(e)
	for _, l := range w.listeners {
		l.Stored(e)
	}
	w.windows.note(e)
	w.sessions.note(e.Session, e.Project)
	w.processes.note(e)
	if e.Type == events.TypeOf[events.ProjectSeen]() {
		w.projects[e.Project] = true
	}
}

// ProjectSeen returns the event that records the path of a report's project, nil if the log holds one. first is the report's first event;
// root is the path, empty if it is unknown. The caller holds the lock.
func (w *Writer) ProjectSeen(ctx context.Context, first events.Meta, root string) (*Draft, error) {
	if root == "" || first.Project == events.None || w.projects[first.Project] {
		return nil, nil
	}
	sel := events.Selector{Project: first.Project, Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}
	for _, err := range w.Log.Events(ctx, events.Span{Until: w.head}, sel) {
		if errors.Is(err, events.ErrMalformed) {
			break // a project recorded twice is better than none
		}
		if err != nil {
			return nil, err
		}
		w.projects[first.Project] = true
		return nil, nil
	}
	return DraftOf(events.ProjectSeen{Root: root, Repository: repositoryOf(root)}, events.Meta{
		ID: events.DerivedID("project.seen", first.Project, root), At: first.At, Project: first.Project,
	})
}

// ReportAt returns the sequences of a report's first and last event, by their ids. An empty last stands for the first. ok is false if one
// of them is not cached (see sequences).
func (w *Writer) ReportAt(first, last string) (seq, until uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seq, hasFirst := w.sequences.get(first)
	until, hasLast := w.sequences.get(cmp.Or(last, first))
	return seq, until, hasFirst && hasLast
}

// repositoryOf returns the name of the repository of a git worktree, empty for another directory. A worktree has a file .git that
// names REPOSITORY/.git/worktrees/NAME.
func repositoryOf(root string) string {
	b, err := disk.ReadFile(filepath.Join(root, ".git"), 4<<10)
	if err != nil {
		return ""
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir:")
	dir = filepath.ToSlash(strings.TrimSpace(dir))
	end := strings.LastIndex(dir, "/.git/worktrees/")
	if !ok || end < 0 {
		return ""
	}
	repository := dir[:end]
	if filepath.Base(repository) == ".." { // a path relative to a worktree within the repository
		repository = filepath.Join(root, repository)
	}
	if name := filepath.Base(repository); name != "." && name != "/" {
		return name
	}
	return ""
}
