// Package writer stores events. It is the one place where an event gets its sequence and its echo mark (ADR-0001): a hook only
// says what it saw.
//
// It also keeps the second copy of the log: the archiver follows the writer, compares the two copies, and the scrubber reads both
// slowly while the owner is idle.
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

// StoreWait bounds the storing of one event. On a full disk the server does not answer; the hook spools then.
const StoreWait = 2 * time.Second

// storePatience is how long the server may take to store before its health is checked: after a write error it never answers,
// but reports itself unhealthy.
const storePatience = 100 * time.Millisecond

// Writer appends to the log. Every event goes through its Store: reports of hooks and scripts, what waited in the spool,
// answers, and what the owner finds out itself. Store sets the echo mark, encodes the event, stores it, and tells
// every Listener.
//
// Its lock is held from the marking of a report until it is stored, because a mark depends on what was stored before, and
// during a whole drain of the spool. It guards the fields below, what the Listeners derive from the log, and which
// files of the spool are stored.
type Writer struct {
	Config

	listeners []Listener
	repeats   func(events.Envelope) uint64

	mu           sync.Mutex
	head         uint64 // newest sequence
	lanes        lanes
	places       places
	projects     map[string]bool // those whose path is recorded
	windows      windows         // nil until somebody needs it
	sessions     sessions
	processes    processes
	observations observations
}

// Config is what a Writer writes to and reports to. All of it is required.
type Config struct {
	Log     *journal.Log
	Names   interface{ Sync() error } // of the store's files
	Dir     string                    // of the journal
	Stored  func(seq uint64)          // tells the second copy what is stored; it never waits
	Trouble func(error)
	Healthy func() error // of the server
	Ill     func()       // makes the owner check its health now
}

// Listener is told of every event, in the order of the log and under the writer's lock. It must not block, nor call the writer.
type Listener interface {
	// Remember takes one of the newest events that the log held when the owner started.
	Remember(e events.Envelope)
	// Stored takes an event that was just stored.
	Stored(e events.Envelope)
}

// ErrUnhealthy says that the store takes no writes any more, which only a new start of the server ends.
// Hooks spool until then.
var ErrUnhealthy = errors.New("the owner leaves")

// New makes a writer. Call Connect and Remember before it appends.
func New(c Config) *Writer {
	return &Writer{Config: c, sessions: sessions{}, processes: processes{}, lanes: lanes{}, projects: map[string]bool{}, observations: observations{}}
}

// Connect sets the listeners. repeats gives the sequence of the event that a transcript told before and that an event repeats,
// 0 for none; it is called under the lock.
func (w *Writer) Connect(repeats func(events.Envelope) uint64, all ...Listener) {
	w.repeats, w.listeners = repeats, all
}

// Lock takes the writer's lock.
func (w *Writer) Lock() { w.mu.Lock() }

// Unlock releases the writer's lock.
func (w *Writer) Unlock() { w.mu.Unlock() }

// Head is the sequence of the newest event.
func (w *Writer) Head() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head
}

// Newest is Head for a caller that holds the lock.
func (w *Writer) Newest() uint64 { return w.head }

// Projects are those that this writer saw at work.
func (w *Writer) Projects() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.projects))
}

// remembered is how many of the newest events the echo marks are rebuilt from.
// A twin comes within two seconds, or within eight events of its lane.
const remembered = 256

// Remember rebuilds, from a log that ends at head, what appending depends on: the newest reports of each lane.
func (w *Writer) Remember(ctx context.Context, head uint64) error {
	w.head = head
	return w.past(ctx, events.Span{After: head - min(head, remembered), Until: head}, func(e events.Envelope) {
		w.lanes.note(e)
		w.places.put(e.ID, e.Seq)
		for _, l := range w.listeners {
			l.Remember(e)
		}
	})
}

// past calls take with the selected events of a span of the log, up to the first damage: that is for verify
// and repair, and appending goes on. The caller holds the lock.
func (w *Writer) past(ctx context.Context, span events.Span, take func(events.Envelope), sel ...events.Selector) error {
	for e, err := range w.Log.Events(ctx, span, sel...) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			w.Trouble(err)
			return nil
		}
		if err != nil {
			return err
		}
		take(e)
	}
	return nil
}

// ofProject returns what a table knows of a project. It is read from the log when it is first needed. The caller
// holds the lock.
func ofProject[T any](ctx context.Context, w *Writer, table map[string]map[string]T, note func(events.Envelope), project string, types ...events.Type) (map[string]T, error) {
	if of := table[project]; of != nil {
		return of, nil
	}
	table[project] = map[string]T{}
	err := w.past(ctx, events.Span{Until: w.head}, note, events.Selector{Project: project}.Of(types...)...)
	if err != nil {
		delete(table, project)
	}
	return table[project], err
}

// Append stores events that the owner found out itself.
func (w *Writer) Append(ctx context.Context, all ...*Draft) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Store(ctx, all...)
}

// Record appends one event that the owner found out itself, under an id.
func (w *Writer) Record(ctx context.Context, t projections.Target, agent, id string, ev events.Event) error {
	d, err := DraftOf(ev, events.Meta{
		ID: id, At: time.Now().UnixNano(), Agent: agent, Session: t.Session, Lane: t.Lane, Project: t.Project,
	})
	if err != nil {
		return err
	}
	return w.Append(ctx, d)
}

// Report stores a report whose project is settled. root is the path of the project, which is recorded once. The
// caller holds the lock.
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

// Store appends events in their order and returns when they are synced to disk; each then has its Place. Consecutive events
// of one cause are one report. An event that the log holds keeps its sequence, and an observation that says nothing new gets
// the sequence of what is known. After an error some may be stored: call Store again with all of them, under the same ids. The
// caller holds the lock.
func (w *Writer) Store(ctx context.Context, all ...*Draft) error {
	b := w.Batch()
	if err := b.AddAll(ctx, all); err != nil {
		return err
	}
	return b.Flush(ctx)
}

// reportLength is how many of the first events are one report.
func reportLength(all []*Draft) int {
	n := 1
	for n < len(all) && causeOf(all[n].Meta) == causeOf(all[0].Meta) {
		n++
	}
	return n
}

// mark sets what only the owner knows of the n-th event of a report: its echo mark, and the window of a usage sample. original
// is the report that it repeats, nil for none.
func (w *Writer) mark(ctx context.Context, d *Draft, original *report, n int) error {
	changed, err := w.complete(ctx, &d.Envelope)
	if err != nil {
		return err
	}
	if original != nil && d.Type != events.TypeOf[events.FileObserved]() {
		d.EchoOf = original.seqs[min(n, len(original.seqs)-1)] // an echo of more events repeats the last
		changed = true
	} else if seq := w.repeats(d.Envelope); seq != 0 {
		d.EchoOf = seq
		changed = true
	}
	if !changed {
		return nil
	}
	return d.Encode()
}

// put stores one event.
func (w *Writer) put(ctx context.Context, d *Draft) error {
	ctx, cancel := context.WithTimeout(ctx, StoreWait)
	defer cancel()
	seq, duplicate, err := w.Log.Store(ctx, d.Record)
	if err == nil {
		err = w.Names.Sync()
	}
	if err != nil {
		return err
	}
	return w.note(ctx, d, seq, duplicate)
}

// answered calls store, and stops waiting when the server has become unhealthy.
func (w *Writer) answered(ctx context.Context, store func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var watch sync.WaitGroup
	defer watch.Wait()
	stored := make(chan struct{})
	defer close(stored)
	watch.Go(func() {
		look := time.NewTicker(storePatience)
		defer look.Stop()
		for {
			select {
			case <-stored:
				return
			case <-look.C:
			}
			if err := w.Healthy(); err != nil {
				cancel(fmt.Errorf("%w: %w", ErrUnhealthy, err))
				w.Ill()
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

// note remembers an event that is stored now. Of a duplicate only the sequence is new.
func (w *Writer) note(ctx context.Context, d *Draft, seq uint64, duplicate bool) error {
	known := seq
	if !duplicate {
		known--
	}
	if err := w.catchUp(ctx, known); err != nil {
		return err
	}
	if d.Place, d.InLog = seq, duplicate; duplicate {
		w.places.put(d.ID, seq)
	} else {
		e := d.Envelope
		e.Seq = seq
		w.learn(e)
	}
	return nil
}

// catchUp learns of events that the log took though nobody heard of it: the server answered too late, or a sync failed.
func (w *Writer) catchUp(ctx context.Context, until uint64) error {
	if until <= w.head {
		return nil
	}
	return w.past(ctx, events.Span{After: w.head, Until: until}, w.learn)
}

// learn tells everybody of an event that is in the log now.
func (w *Writer) learn(e events.Envelope) {
	w.head = e.Seq
	w.Stored(e.Seq)
	w.places.put(e.ID, e.Seq)
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

// ProjectSeen makes the event that records the path of a report's project, nil when the log holds one.
func (w *Writer) ProjectSeen(ctx context.Context, first events.Meta, root string) (*Draft, error) {
	if root == "" || first.Project == events.None || w.projects[first.Project] {
		return nil, nil
	}
	sel := events.Selector{Project: first.Project, Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}
	for _, err := range w.Log.Events(ctx, events.Span{Until: w.head}, sel) {
		if errors.Is(err, events.ErrMalformed) {
			break // a project recorded twice is better than none
		}
		if err == nil {
			w.projects[first.Project] = true
		}
		return nil, err
	}
	return DraftOf(events.ProjectSeen{Root: root, Repository: repositoryOf(root)}, events.Meta{
		ID: events.DerivedID("project.seen", first.Project, root), At: first.At, Project: first.Project,
	})
}

// ReportAt returns the sequences of a report's first and last event by their ids; an empty last is the first. ok is false when
// one of them is not among the newest 4,096 events.
func (w *Writer) ReportAt(first, last string) (seq, until uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seq, begun := w.places.get(first)
	until, ended := w.places.get(cmp.Or(last, first))
	return seq, until, begun && ended
}

// repositoryOf returns the name of the repository that a git worktree belongs to, empty for a directory that is
// none. A worktree has a file .git that names REPOSITORY/.git/worktrees/NAME.
func repositoryOf(root string) string {
	const fileBytes = 4 << 10
	b, err := disk.ReadFile(filepath.Join(root, ".git"), fileBytes)
	if err != nil {
		return ""
	}
	dir, ok := strings.CutPrefix(strings.TrimSpace(string(b)), "gitdir:")
	dir = filepath.ToSlash(strings.TrimSpace(dir))
	at := strings.LastIndex(dir, "/.git/worktrees/")
	if !ok || at < 0 {
		return ""
	}
	if name := filepath.Base(dir[:at]); name != "." && name != "/" {
		return name
	}
	return ""
}
