// Package draft makes events ready to be stored, whoever made them: checked, free of secrets, and in
// the bytes that are stored.
package draft

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"journal/events"
	"journal/journal"
	"journal/journal/notes/sections"
	"journal/journal/record"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/projections"
)

// Draft is an event on its way into the log, with the record that is checked and
// then stored, byte for byte.
type Draft struct {
	events.Envelope
	Record record.Record
	// Place is the event's sequence: once it is stored, or when InLog says that the
	// log held it before. Of an observation that adds nothing it is that of the event
	// that says the same.
	Place uint64
	InLog bool
}

// New makes the draft of an event. The error is events.ErrTooLarge or
// events.ErrMalformed for what cannot be stored.
func New(e events.Envelope) (*Draft, error) {
	d := &Draft{Envelope: e}
	return d, d.Encode()
}

// Encode makes the record again after the event was changed.
func (d *Draft) Encode() (err error) {
	d.Record, err = journal.NewRecord(d.Envelope)
	return err
}

// Of makes the draft of an event that has no envelope yet and is free of secrets.
func Of(ev events.Event, m events.Meta) (*Draft, error) {
	m.Rules = int(redact.RuleSet)
	e, err := events.Wrap(ev, m)
	if err != nil {
		return nil, err
	}
	return New(e)
}

// FromRequest checks the events of a request and makes them fit to be stored, whoever
// made them.
func FromRequest(r wire.Request) ([]*Draft, error) {
	var all []*Draft
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
func observed(f wire.File) (*Draft, error) {
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
func received(b []byte) (*Draft, error) {
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
		return New(e)
	}
	d := &Draft{Envelope: e}
	d.Record, err = journal.RecordOf(e.Meta, b)
	return d, err
}

// FromJSON makes the draft of a request in JSON; root is the path behind its
// project.
func FromJSON(f wire.Foreign, at time.Time) (d *Draft, root string, err error) {
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
	d, err = Of(events.MapText(ev, redact.Text), m)
	return d, f.Root, err
}

// Places returns the places of drafts that were stored.
func Places(all []*Draft) []uint64 {
	seqs := make([]uint64, len(all))
	for i, d := range all {
		seqs[i] = d.Place
	}
	return seqs
}

// Target names the lane that an event is of.
func (d *Draft) Target() projections.Target {
	return projections.Target{Project: d.Project, Session: d.Session, Lane: d.Lane}
}

// Lane returns the lane that a report is about, the zero value of an empty one.
func Lane(report []*Draft) projections.Target {
	if len(report) == 0 {
		return projections.Target{}
	}
	return report[0].Target()
}

// Refused reports whether an error will not go away by trying again.
func Refused(err error) bool {
	for _, target := range []error{client.ErrPaused, events.ErrMalformed, events.ErrTooLarge, events.ErrUndeclared, events.ErrNotAppendable} {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
