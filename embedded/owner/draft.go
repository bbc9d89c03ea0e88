package owner

import (
	"cmp"
	"fmt"
	"time"

	"journal/events"
	"journal/journal"
	"journal/journal/notes/sections"
	"journal/journal/record"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// draft is an event on its way into the log, with the record that is checked and
// then stored, byte for byte.
type draft struct {
	events.Envelope
	record record.Record
	// place is the event's sequence: once it is stored, or when known says that the
	// log held it before. Of an observation that adds nothing it is that of the event
	// that says the same.
	place uint64
	known bool
}

// newDraft makes the draft of an event. The error is events.ErrTooLarge or
// events.ErrMalformed for what cannot be stored.
func newDraft(e events.Envelope) (*draft, error) {
	d := &draft{Envelope: e}
	return d, d.encode()
}

// encode makes the record again after the event was changed.
func (d *draft) encode() (err error) {
	d.record, err = journal.NewRecord(d.Envelope)
	return err
}

// draftOf makes the draft of an event that has no envelope yet and is free of secrets.
func draftOf(ev events.Event, m events.Meta) (*draft, error) {
	m.Rules = int(redact.RuleSet)
	e, err := events.Wrap(ev, m)
	if err != nil {
		return nil, err
	}
	return newDraft(e)
}

// draftsOf checks the events of a request and makes them fit to be stored, whoever
// made them.
func draftsOf(r wire.Request) ([]*draft, error) {
	var all []*draft
	for i, b := range r.Events {
		d, err := received(b)
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", i, err)
		}
		all = append(all, d)
	}
	for i, f := range r.Files {
		d, err := observed(f)
		if err != nil {
			return nil, fmt.Errorf("file %d: %w", i, err)
		}
		all = append(all, d)
	}
	return all, nil
}

// observed makes the draft of a file. What grows over an event's bounds when it is
// redacted again costs the file's content.
func observed(f wire.File) (*draft, error) {
	b, err := sections.Complete(f)
	if err != nil {
		return nil, err
	}
	d, err := received(b)
	if err == nil {
		return d, nil
	}
	if b, err = sections.Lacking(b); err != nil {
		return nil, err
	}
	return received(b)
}

// received makes the draft of an event that came encoded. The bytes are stored as they
// came when nothing has to be changed: then the event is not encoded again.
func received(b []byte) (*draft, error) {
	e, err := events.Decode(b, 0)
	if err != nil {
		return nil, err
	}
	if !events.TakenFrom(e.Agent, e.Type) {
		return nil, fmt.Errorf("%w: %s", events.ErrNotAppendable, e.Type)
	}
	came := e.Meta
	if e.Rules < int(redact.RuleSet) {
		if e, err = client.Redacted(e); err != nil {
			return nil, err
		}
		e.Rules = int(redact.RuleSet)
	}
	e.EchoOf = 0
	e.Project, e.Session = cmp.Or(e.Project, events.None), cmp.Or(e.Session, events.None)
	if e.Meta != came {
		return newDraft(e)
	}
	d := &draft{Envelope: e}
	d.record, err = journal.RecordOf(e.Meta, b)
	return d, err
}

// foreignDraft makes the draft of a request in JSON; root is the path behind its
// project.
func foreignDraft(f wire.Foreign, at time.Time) (d *draft, root string, err error) {
	ev, err := events.FromJSON(f.Type, f.Data)
	if err != nil {
		return nil, "", err
	}
	m := events.Meta{ID: f.ID, At: f.At, Agent: f.Agent, Session: f.Session, Lane: f.Lane, Project: f.Project}
	if m.At == 0 {
		m.At = at.UnixNano()
	}
	if f.Root != "" && f.Project == "" {
		m.Project = client.ProjectKey(f.Root)
	}
	d, err = draftOf(events.MapText(ev, redact.Text), m)
	return d, f.Root, err
}

// placesOf gives the places of drafts that were stored.
func placesOf(all []*draft) []uint64 {
	seqs := make([]uint64, len(all))
	for i, d := range all {
		seqs[i] = d.place
	}
	return seqs
}
