package owner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"journal/events"
	"journal/journal"
	"journal/journal/client"
	"journal/journal/outline"
	"journal/journal/redact"
	"journal/journal/wire"
)

// storeWait bounds the storing of one event. A full disk answers with silence
// (JETSTREAM section 1.4); the asker spools then.
const storeWait = 2 * time.Second

// Handle does what one request asks: it drains the spool, appends the events,
// and derives the answer that is owed. Every event it reports a place for is
// synced to disk.
func (o *Owner) Handle(ctx context.Context, r wire.Request) wire.Reply {
	o.touch()
	report, err := incoming(r)
	if err != nil {
		return refusal(err)
	}
	o.appending.Lock()
	err = o.drain(ctx)
	var seqs []uint64
	if err == nil && len(report) > 0 {
		seqs, err = o.store(ctx, report, r.Root, nil)
	}
	o.appending.Unlock()
	if err != nil {
		o.trouble(err)
		return wire.Reply{Wire: wire.Version, Error: err.Error(), Refused: isRefusal(err)}
	}
	reply := wire.Reply{Wire: wire.Version, Seqs: seqs, Files: true}
	if r.Owed != nil {
		if reply.Text, reply.To, err = o.answer(ctx, *r.Owed); err != nil {
			// The events are stored; an answer is a favour.
			o.trouble(err)
		}
	}
	return reply
}

func refusal(err error) wire.Reply {
	return wire.Reply{Wire: wire.Version, Error: err.Error(), Refused: true}
}

// incoming checks the events of a request and makes them fit to be stored,
// whoever made them.
func incoming(r wire.Request) ([]events.Envelope, error) {
	all := r.Events
	for i, f := range r.Files {
		whole, err := outline.Complete(f)
		if err != nil {
			return nil, fmt.Errorf("file %d: %w", i, err)
		}
		all = append(all, whole)
	}
	var report []events.Envelope
	for i, b := range all {
		e, err := events.Decode(b, 0)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		if events.Reserved(e.Type) {
			return nil, fmt.Errorf("event %d: %w: %s", i, events.ErrNotAppendable, e.Type)
		}
		if e.Rules < int(redact.RuleSet) {
			if e, err = events.MapEnvelope(e, redact.Text); err != nil {
				return nil, fmt.Errorf("event %d: %w", i, err)
			}
			e.Rules = int(redact.RuleSet)
		}
		e.EchoOf = 0
		e.Project, e.Session = cmp.Or(e.Project, events.None), cmp.Or(e.Session, events.None)
		if err := journal.Storable(e); err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		report = append(report, e)
	}
	return report, nil
}

// foreign makes the report of a request in JSON.
func foreign(f wire.Foreign, at time.Time) (report []events.Envelope, root string, err error) {
	ev, err := events.FromJSON(f.Type, f.Data)
	if err != nil {
		return nil, "", err
	}
	m := events.Meta{
		ID: f.ID, At: f.At, Agent: f.Agent, Session: f.Session, Lane: f.Lane, Project: f.Project,
		Rules: int(redact.RuleSet),
	}
	if m.At == 0 {
		m.At = at.UnixNano()
	}
	if f.Root != "" && f.Project == "" {
		m.Project = client.ProjectKey(f.Root)
	}
	e, err := events.Wrap(events.MapText(ev, redact.Text), m)
	if err == nil {
		err = journal.Storable(e)
	}
	if err != nil {
		return nil, "", err
	}
	return []events.Envelope{e}, f.Root, nil
}

// store appends reports, in their order: each event gets its echo mark, and its
// place. An event that is in the log already keeps the place it has, and an
// observation that adds nothing gets the place of what is known; known holds the
// places, by position, of those that were found there, 0 for the rest. The
// caller holds appending.
func (o *Owner) store(ctx context.Context, all []events.Envelope, root string, known []uint64) ([]uint64, error) {
	if err := o.settled(ctx, all); err != nil {
		return nil, err
	}
	if err := o.projectSeen(ctx, all[0].Meta, root); err != nil {
		return nil, err
	}
	if len(all) >= bulk {
		return o.storeBulk(ctx, all, known)
	}
	seqs := make([]uint64, 0, len(all))
	for from, to := 0, 0; from < len(all); from = to {
		to = endOfReport(all, from)
		original := o.lanes.original(all[from].Meta)
		for i := from; i < to; i++ {
			if known != nil && known[i] != 0 {
				o.placed.put(all[i].ID, known[i])
				seqs = append(seqs, known[i])
				continue
			}
			seq, err := o.storeMarked(ctx, all[i], original, i-from)
			if err != nil {
				return nil, err
			}
			seqs = append(seqs, seq)
		}
	}
	return seqs, nil
}

// endOfReport is where the report ends that begins at an event.
func endOfReport(all []events.Envelope, from int) int {
	to := from + 1
	for to < len(all) && causeOf(all[to].Meta) == causeOf(all[from].Meta) {
		to++
	}
	return to
}

// projectSeen records the path behind the project of a request, once.
func (o *Owner) projectSeen(ctx context.Context, first events.Meta, root string) error {
	if root == "" || first.Project == events.None || o.projects[first.Project] {
		return nil
	}
	sel := events.Selector{Project: first.Project, Session: events.None, Type: events.TypeOf[events.ProjectSeen]()}
	for _, err := range o.log.Events(ctx, events.Span{Until: o.head}, sel) {
		if errors.Is(err, events.ErrMalformed) {
			break // a project recorded twice is better than none
		}
		if err == nil {
			o.projects[first.Project] = true
		}
		return err
	}
	return o.seen(ctx, first, root)
}

// storeMarked appends the n-th event of a report, of which original is the report
// that it repeats, nil for none.
func (o *Owner) storeMarked(ctx context.Context, e events.Envelope, original *report, n int) (uint64, error) {
	if place, known, err := o.isKnown(ctx, e); err != nil {
		return 0, err
	} else if known {
		// An answer that is owed as of it is owed as of the report.
		o.placed.put(e.ID, o.head)
		return place, nil
	}
	e, err := o.marked(ctx, e, original, n)
	if err != nil {
		return 0, err
	}
	return o.storeOne(ctx, e)
}

// marked completes an event by what only the owner knows.
func (o *Owner) marked(ctx context.Context, e events.Envelope, original *report, n int) (events.Envelope, error) {
	if original != nil && e.Type != events.TypeOf[events.FileObserved]() {
		e.EchoOf = original.echoOf(n)
	}
	return o.completed(ctx, e)
}

// storeOne appends one event whose marks are set. The caller holds appending.
func (o *Owner) storeOne(ctx context.Context, e events.Envelope) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	seq, duplicate, err := o.log.Append(ctx, e)
	if err != nil {
		return 0, err
	}
	o.stored(e, seq, duplicate)
	return seq, nil
}

// stored takes note of an event that is in the log now; of a duplicate everything
// but its place was noted before.
func (o *Owner) stored(e events.Envelope, seq uint64, duplicate bool) {
	o.head = max(o.head, seq)
	o.archive.note(seq)
	o.placed.put(e.ID, seq)
	if duplicate {
		return
	}
	e.Seq = seq
	o.lanes.stored(e)
	o.observed.note(e)
	o.receipts.note(e)
	o.forks.note(e)
	if o.windows != nil {
		o.windows.note(e)
	}
	if o.sessions != nil {
		o.sessions.note(e.Session, e.Project)
	}
}

// seen records the path behind a project key, once.
func (o *Owner) seen(ctx context.Context, m events.Meta, root string) error {
	e, err := events.Wrap(events.ProjectSeen{Root: root}, events.Meta{
		ID: events.DerivedID("project.seen", m.Project, root), At: m.At, Project: m.Project,
		Rules: int(redact.RuleSet),
	})
	if err != nil {
		return err
	}
	if _, err := o.storeOne(ctx, e); err != nil {
		return err
	}
	o.projects[m.Project] = true
	return nil
}

// isRefusal says whether an error will not go away by trying again.
func isRefusal(err error) bool {
	for _, target := range []error{events.ErrMalformed, events.ErrTooLarge, events.ErrUndeclared, events.ErrNotAppendable} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
