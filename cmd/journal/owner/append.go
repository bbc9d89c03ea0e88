package owner

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"journal/events"
	"journal/journal"
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
	reply := wire.Reply{Wire: wire.Version, Seqs: seqs}
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
	var report []events.Envelope
	for i, b := range r.Events {
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
		m.Project = journal.ProjectKey(f.Root)
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

// store appends a report: each event gets its echo mark, and its place. An
// event that is in the log already keeps the place it has, and an observation
// that adds nothing gets the place of what is known; known holds the
// places, by position, of those that were found there, 0 for the rest. The
// caller holds appending.
func (o *Owner) store(ctx context.Context, report []events.Envelope, root string, known []uint64) ([]uint64, error) {
	if err := o.settled(ctx, report); err != nil {
		return nil, err
	}
	first := report[0].Meta
	if root != "" && first.Project != events.None && !o.projects[first.Project] {
		if err := o.seen(ctx, first, root); err != nil {
			return nil, err
		}
	}
	original := o.lanes.original(first)
	seqs := make([]uint64, 0, len(report))
	for i, e := range report {
		if known != nil && known[i] != 0 {
			o.placed.put(e.ID, known[i])
			seqs = append(seqs, known[i])
			continue
		}
		if place, known, err := o.isKnown(ctx, e); err != nil {
			return nil, err
		} else if known {
			// An answer that is owed as of it is owed as of the report.
			o.placed.put(e.ID, o.head)
			seqs = append(seqs, place)
			continue
		}
		if original != nil && e.Type != events.TypeOf[events.FileObserved]() {
			e.EchoOf = original.echoOf(i)
		}
		e, err := o.completed(ctx, e)
		if err != nil {
			return nil, err
		}
		seq, err := o.storeOne(ctx, e)
		if err != nil {
			return nil, err
		}
		seqs = append(seqs, seq)
	}
	return seqs, nil
}

// storeOne appends one event whose marks are set. The caller holds appending.
func (o *Owner) storeOne(ctx context.Context, e events.Envelope) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	seq, duplicate, err := o.log.Append(ctx, e)
	if err != nil {
		return 0, err
	}
	o.head = max(o.head, seq)
	o.archive.note(seq)
	o.placed.put(e.ID, seq)
	if !duplicate {
		e.Seq = seq
		o.lanes.stored(e)
		o.observed.note(e)
		o.receipts.note(e)
		if o.windows != nil {
			o.windows.note(e)
		}
		if o.sessions != nil {
			o.sessions.note(e.Session, e.Project)
		}
	}
	return seq, nil
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
