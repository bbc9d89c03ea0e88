package owner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"journal/embedded"
	"journal/embedded/store/blocks"
	"journal/events"
	"journal/journal"
	"journal/journal/wire/client"
	"journal/projections"
)

// storeWait bounds the storing of one event. A full disk answers with silence; the
// asker spools then.
const storeWait = 2 * time.Second

// storePatience is how long the server may take to store before its health is looked at: after a write
// error it never answers, and says so there.
const storePatience = 100 * time.Millisecond

// writer is the one that appends to the log. Every event goes through its store: what
// hooks and scripts report, what waited in the spool, answers, and what the owner finds
// out itself. There an event gets its echo mark, its place, and the bytes that are
// stored, and everybody who follows the log is told of it.
type writer struct {
	log      *journal.Log
	names    *blocks.Names // of the store's files
	dir      string        // of the journal
	archive  *archiver     // the second copy
	settings func() Settings
	trouble  func(error)
	healthy  func() error // of the server
	ill      func()       // tells who looks after the owner that it is not

	// mu is held from the marking of a report to its storing, because marks depend on
	// what was stored before. It guards what follows: what is known of the log.
	mu         sync.Mutex
	head       uint64 // newest sequence
	lanes      lanes
	places     places
	projects   map[string]bool // those whose path is recorded
	windows    windows         // nil until somebody needs it
	sampled    sampled
	unanswered unanswered
	sessions   sessions
	processes  processes
	sightings  sightings
	receipts   receipts
	forks      forks
	followers  followers
}

func newWriter(o *Owner) *writer {
	dir := o.lock.Dir()
	return &writer{
		log: o.log, names: embedded.StreamIn(dir, o.log.Stream()).Names(), dir: dir, settings: o.config.Settings, trouble: o.trouble,
		healthy: o.server.Healthy, ill: o.lookNow, sessions: sessions{}, processes: processes{},
		lanes: lanes{}, projects: map[string]bool{}, sightings: sightings{}, sampled: sampled{}, unanswered: unanswered{},
		receipts: receipts{}, followers: newFollowers(),
		forks: forks{due: map[projections.Target]fork{}, work: make(chan search, searches)},
	}
}

// remembered is how many of the newest events the echo marks are rebuilt from.
// A twin comes within two seconds, or within eight events of its lane.
const remembered = 256

// remember rebuilds from a log that ends at a sequence what appending depends on: the
// newest reports of each lane. Nobody appends yet.
func (w *writer) remember(ctx context.Context, head uint64) error {
	w.head = head
	for e, err := range w.log.Events(ctx, events.Span{After: head - min(head, remembered), Until: head}) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			// Damage is for verify and repair; appending goes on.
			w.trouble(err)
			break
		}
		if err != nil {
			return err
		}
		w.lanes.note(e)
		w.places.put(e.ID, e.Seq)
		w.unanswered.note(e)
		w.receipts.note(e)
		w.forks.seen(e)
	}
	return nil
}

// append stores events that the owner found out itself.
func (w *writer) append(ctx context.Context, all ...*draft) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.store(ctx, all...)
}

// report stores what was reported from outside and is settled. root is the path behind
// the project, which is recorded once. The caller holds mu.
func (w *writer) report(ctx context.Context, all []*draft, root string) error {
	seen, err := w.projectSeen(ctx, all[0].Meta, root)
	if err != nil {
		return err
	}
	if seen != nil {
		all = append([]*draft{seen}, all...)
	}
	return w.store(ctx, all...)
}

// store appends events in their order and returns when they are synced to disk; each
// then has its place. Events of one cause that follow each other are one report. An
// event that the log holds keeps the place that it has, and an observation that adds
// nothing gets the place of what is known. After an error the first of them may be
// stored: all belong into the log again, under the same ids. The caller holds mu.
func (w *writer) store(ctx context.Context, all ...*draft) error {
	b := batch{writer: w}
	if err := b.addAll(ctx, all); err != nil {
		return err
	}
	return b.flush(ctx)
}

// reportLength is how many of the first events are one report.
func reportLength(all []*draft) int {
	n := 1
	for n < len(all) && causeOf(all[n].Meta) == causeOf(all[0].Meta) {
		n++
	}
	return n
}

// mark completes the n-th event of a report by what only the owner knows. original is
// the report that it repeats, nil for none.
func (w *writer) mark(ctx context.Context, d *draft, original *report, n int) error {
	changed, err := w.complete(ctx, &d.Envelope)
	if err != nil {
		return err
	}
	if original != nil && d.Type != events.TypeOf[events.FileObserved]() {
		d.EchoOf = original.echoOf(n)
		changed = true
	} else if seq := w.followers.twin(d.Envelope); seq != 0 {
		d.EchoOf = seq
		changed = true
	}
	if !changed {
		return nil
	}
	return d.encode()
}

// put stores one event.
func (w *writer) put(ctx context.Context, d *draft) error {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	seq, duplicate, err := w.log.Store(ctx, d.record)
	if err == nil {
		err = w.names.Sync()
	}
	if err != nil {
		return err
	}
	w.note(d, seq, duplicate)
	return nil
}

// answered has something stored, and does not wait for a server that has said that it stores no more.
func (w *writer) answered(ctx context.Context, store func(context.Context) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stored := make(chan struct{})
	defer close(stored)
	go func() {
		look := time.NewTicker(storePatience)
		defer look.Stop()
		for {
			select {
			case <-stored:
				return
			case <-look.C:
			}
			if err := w.healthy(); err != nil {
				cancel(fmt.Errorf("%w: %w", ErrUnhealthy, err))
				w.ill()
				return
			}
		}
	}()
	err := store(ctx)
	if cause := context.Cause(ctx); err != nil && errors.Is(cause, ErrUnhealthy) {
		return cause
	}
	return err
}

// note takes note of an event that is in the log now; of a duplicate everything but
// its place was noted before.
func (w *writer) note(d *draft, seq uint64, duplicate bool) {
	d.place, d.known = seq, duplicate
	w.head = max(w.head, seq)
	w.archive.note(seq)
	w.places.put(d.ID, seq)
	if duplicate {
		return
	}
	e := d.Envelope
	e.Seq = seq
	w.lanes.note(e)
	w.sightings.note(e)
	w.receipts.note(e)
	w.followers.note(e)
	w.forks.note(e)
	w.windows.note(e)
	w.sampled.note(e)
	w.unanswered.note(e)
	w.sessions.note(e.Session, e.Project)
	w.processes.note(e)
	if e.Type == events.TypeOf[events.ProjectSeen]() {
		w.projects[e.Project] = true
	}
}

// projectSeen gives the event that records the path behind the project of a report,
// nil when the log holds one.
func (w *writer) projectSeen(ctx context.Context, first events.Meta, root string) (*draft, error) {
	if root == "" || first.Project == events.None || w.projects[first.Project] {
		return nil, nil
	}
	sel := events.Selector{Project: first.Project, Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}
	for _, err := range w.log.Events(ctx, events.Span{Until: w.head}, sel) {
		if errors.Is(err, events.ErrMalformed) {
			break // a project recorded twice is better than none
		}
		if err == nil {
			w.projects[first.Project] = true
		}
		return nil, err
	}
	return draftOf(events.ProjectSeen{Root: root, Repository: repositoryOf(root)}, events.Meta{
		ID: events.DerivedID("project.seen", first.Project, root), At: first.At, Project: first.Project,
	})
}

// reportAt gives the places of a report's first and last event, by their ids; an empty
// last is the first. ok is false when one of them is not among the newest of the log.
func (w *writer) reportAt(first, last string) (seq, until uint64, ok bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	seq, begun := w.places.get(first)
	until, ended := w.places.get(cmp.Or(last, first))
	return seq, until, begun && ended
}

// isRefusal says whether an error will not go away by trying again.
func isRefusal(err error) bool {
	for _, target := range []error{client.ErrPaused, events.ErrMalformed, events.ErrTooLarge, events.ErrUndeclared, events.ErrNotAppendable} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
