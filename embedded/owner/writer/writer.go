// Package writer is the single place where an event gets its place in the log, its identity and its
// echo mark (ADR-0001); a hook only says what it saw.
package writer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"journal/embedded/owner/draft"
	"journal/events"
	"journal/journal"
	"journal/projections"
)

// StoreWait bounds the storing of one event. A full disk answers with silence; the
// asker spools then.
const StoreWait = 2 * time.Second

// storePatience is how long the server may take to store before its health is looked at: after a write
// error it never answers, and says so there.
const storePatience = 100 * time.Millisecond

// Writer is the one that appends to the log. Every event goes through its Store: what
// hooks and scripts report, what waited in the spool, answers, and what the owner finds
// out itself. There an event gets its echo mark, its place, and the bytes that are
// stored, and everybody who follows the log is told of it.
//
// Its lock is the one of all that follows from what was stored: it is held from the marking of a
// report to its storing, because marks depend on what was stored before, and by a drain of the spool
// from the first look at it to the last. It guards what is known of the log here, what the
// Listeners know of it, and which files of the spool are in the log.
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

// Config is what a Writer writes to, and whom it tells. All of it is required.
type Config struct {
	Log     *journal.Log
	Names   interface{ Sync() error } // of the store's files
	Dir     string                    // of the journal
	Stored  func(seq uint64)          // tells the second copy what is stored; it never waits
	Trouble func(error)
	Healthy func() error // of the server
	Ill     func()       // tells who looks after the owner that it is not
}

// Listener is told of the events of the log, in their order and under the writer's lock. It must not
// wait, nor ask the writer.
type Listener interface {
	// Remember takes one of the newest events that the log held before. Nobody appends yet.
	Remember(e events.Envelope)
	// Stored takes an event that was stored now.
	Stored(e events.Envelope)
}

// ErrUnhealthy says that the store takes no writes any more, which only a new start of the server ends.
// Hooks spool until then.
var ErrUnhealthy = errors.New("the owner leaves")

// New makes a writer that knows nothing of the log yet: before it appends, Connect and Remember.
func New(c Config) *Writer {
	return &Writer{Config: c, sessions: sessions{}, processes: processes{}, lanes: lanes{}, projects: map[string]bool{}, observations: observations{}}
}

// Connect has listeners told of events. repeats gives the place of the event by which a transcript told
// what an event tells now, 0 for none; it is asked under the lock. Nobody appends yet.
func (w *Writer) Connect(repeats func(events.Envelope) uint64, all ...Listener) {
	w.repeats, w.listeners = repeats, all
}

// Lock takes the writer's lock.
func (w *Writer) Lock() { w.mu.Lock() }

// Unlock gives the writer's lock back.
func (w *Writer) Unlock() { w.mu.Unlock() }

// Head is the sequence of the newest event.
func (w *Writer) Head() uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.head
}

// Newest is Head for a caller that holds the lock.
func (w *Writer) Newest() uint64 { return w.head }

// Holds says whether an event is among the newest of the log. The caller holds the lock.
func (w *Writer) Holds(id string) bool {
	_, there := w.places.get(id)
	return there
}

// Projects are those that this writer saw at work.
func (w *Writer) Projects() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Collect(maps.Keys(w.projects))
}

// remembered is how many of the newest events the echo marks are rebuilt from.
// A twin comes within two seconds, or within eight events of its lane.
const remembered = 256

// Remember rebuilds from a log that ends at a sequence what appending depends on: the
// newest reports of each lane. Nobody appends yet.
func (w *Writer) Remember(ctx context.Context, head uint64) error {
	w.head = head
	for e, err := range w.Log.Events(ctx, events.Span{After: head - min(head, remembered), Until: head}) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			// Damage is for verify and repair; appending goes on.
			w.Trouble(err)
			break
		}
		if err != nil {
			return err
		}
		w.lanes.note(e)
		w.places.put(e.ID, e.Seq)
		for _, l := range w.listeners {
			l.Remember(e)
		}
	}
	return nil
}

// Append stores events that the owner found out itself.
func (w *Writer) Append(ctx context.Context, all ...*draft.Draft) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.Store(ctx, all...)
}

// Record appends one event that the owner found out itself, under an id.
func (w *Writer) Record(ctx context.Context, t projections.Target, agent, id string, ev events.Event) error {
	d, err := draft.Of(ev, events.Meta{
		ID: id, At: time.Now().UnixNano(), Agent: agent, Session: t.Session, Lane: t.Lane, Project: t.Project,
	})
	if err != nil {
		return err
	}
	return w.Append(ctx, d)
}

// Report stores what was reported from outside and is settled. root is the path behind
// the project, which is recorded once. The caller holds the lock.
func (w *Writer) Report(ctx context.Context, all []*draft.Draft, root string) error {
	seen, err := w.ProjectSeen(ctx, all[0].Meta, root)
	if err != nil {
		return err
	}
	if seen != nil {
		all = append([]*draft.Draft{seen}, all...)
	}
	return w.Store(ctx, all...)
}

// Store appends events in their order and returns when they are synced to disk; each
// then has its place. Events of one cause that follow each other are one report. An
// event that the log holds keeps the place that it has, and an observation that adds
// nothing gets the place of what is known. After an error the first of them may be
// stored: all belong into the log again, under the same ids. The caller holds the lock.
func (w *Writer) Store(ctx context.Context, all ...*draft.Draft) error {
	b := w.Batch()
	if err := b.AddAll(ctx, all); err != nil {
		return err
	}
	return b.Flush(ctx)
}

// reportLength is how many of the first events are one report.
func reportLength(all []*draft.Draft) int {
	n := 1
	for n < len(all) && causeOf(all[n].Meta) == causeOf(all[0].Meta) {
		n++
	}
	return n
}

// mark completes the n-th event of a report by what only the owner knows. original is
// the report that it repeats, nil for none.
func (w *Writer) mark(ctx context.Context, d *draft.Draft, original *report, n int) error {
	changed, err := w.complete(ctx, &d.Envelope)
	if err != nil {
		return err
	}
	if original != nil && d.Type != events.TypeOf[events.FileObserved]() {
		d.EchoOf = original.echoOf(n)
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
func (w *Writer) put(ctx context.Context, d *draft.Draft) error {
	ctx, cancel := context.WithTimeout(ctx, StoreWait)
	defer cancel()
	seq, duplicate, err := w.Log.Store(ctx, d.Record)
	if err == nil {
		err = w.Names.Sync()
	}
	if err != nil {
		return err
	}
	w.note(d, seq, duplicate)
	return nil
}

// answered has something stored, and does not wait for a server that has said that it stores no more.
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

// note takes note of an event that is in the log now; of a duplicate everything but
// its place was noted before.
func (w *Writer) note(d *draft.Draft, seq uint64, duplicate bool) {
	d.Place, d.InLog = seq, duplicate
	w.head = max(w.head, seq)
	w.Stored(seq)
	w.places.put(d.ID, seq)
	if duplicate {
		return
	}
	e := d.Envelope
	e.Seq = seq
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

// ProjectSeen gives the event that records the path behind the project of a report,
// nil when the log holds one.
func (w *Writer) ProjectSeen(ctx context.Context, first events.Meta, root string) (*draft.Draft, error) {
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
	return draft.Of(events.ProjectSeen{Root: root, Repository: repositoryOf(root)}, events.Meta{
		ID: events.DerivedID("project.seen", first.Project, root), At: first.At, Project: first.Project,
	})
}

// ReportAt gives the places of a report's first and last event, by their ids; an empty
// last is the first. ok is false when one of them is not among the newest of the log.
func (w *Writer) ReportAt(first, last string) (seq, until uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seq, begun := w.places.get(first)
	until, ended := w.places.get(cmp.Or(last, first))
	return seq, until, begun && ended
}
