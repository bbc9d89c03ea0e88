package writer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
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

// Draft is an event on its way into the log, with its checked record, which is stored byte for byte.
type Draft struct {
	events.Envelope
	Record record.Record
	// Sequence is the event's sequence once the event is stored or InLog is true. An observation that adds nothing gets the sequence of the
	// stored observation.
	Sequence uint64
	// InLog is true if the log held the event before, or an observation that is equal or newer (see settleUnchanged).
	InLog bool
	// Invalid is true if the last encode returned an error: the log refuses the event.
	Invalid bool
}

// NewDraft returns the draft of an event. The error is events.ErrTooLarge or events.ErrMalformed for an event that cannot be
// stored.
func NewDraft(e events.Envelope) (*Draft, error) {
	d := &Draft{Envelope: e}
	return d, d.encode()
}

// encode updates the record after a change of the event.
func (d *Draft) encode() (err error) {
	d.Record, err = journal.NewRecord(d.Envelope)
	d.Invalid = err != nil
	return err
}

// DraftOf returns the draft of an event that has no secrets: it does not redact. The error is that of events.Wrap or NewDraft.
func DraftOf(ev events.Event, m events.Meta) (*Draft, error) {
	m.Rules = int(redact.RuleSet)
	e, err := events.Wrap(ev, m)
	if err != nil {
		return nil, err
	}
	return NewDraft(e)
}

// DraftsOf checks the events and files of a request, and returns the drafts of the valid ones. It redacts events again that a program with
// older rules has redacted. The error, for which Refused returns true, names each event and file that is not valid.
func DraftsOf(r wire.Request) (all []*Draft, err error) {
	add := func(kind string, i int, d *Draft, invalid error) {
		if invalid != nil {
			err = errors.Join(err, fmt.Errorf("%s %d: %w", kind, i, invalid))
			return
		}
		all = append(all, d)
	}
	for i, b := range r.Events {
		d, invalid := eventDraft(b)
		add("event", i, d, invalid)
	}
	for i, f := range r.Files {
		d, invalid := fileDraft(f)
		add("file", i, d, invalid)
	}
	return all, err
}

// fileDraft returns the draft of a file. If the event is not accepted, fileDraft leaves out the content: redaction by newer rules may have
// made it too large.
func fileDraft(f wire.File) (*Draft, error) {
	b, err := sections.Complete(f)
	if err != nil {
		return nil, err
	}
	d, err := eventDraft(b)
	if err == nil {
		return d, nil
	}
	if b, err = sections.WithoutContent(b); err != nil {
		return nil, err
	}
	return eventDraft(b)
}

// eventDraft returns the draft of an encoded event. If nothing has to change, its record has the same bytes.
func eventDraft(b []byte) (*Draft, error) {
	e, err := events.Decode(b, 0)
	if err != nil {
		return nil, err
	}
	if !events.AcceptedFrom(e.Agent, e.Type) {
		return nil, fmt.Errorf("%w: %s", events.ErrNotAppendable, e.Type)
	}
	original := e.Meta
	if e.Rules < int(redact.RuleSet) {
		if e, err = client.Redacted(e); err != nil {
			return nil, err
		}
		e.Rules = int(redact.RuleSet)
	}
	e.EchoOf = 0
	e.Project, e.Session = cmp.Or(e.Project, events.None), cmp.Or(e.Session, events.None)
	if e.Meta != original {
		return NewDraft(e)
	}
	d := &Draft{Envelope: e}
	d.Record, err = journal.RecordOf(e.Meta, b)
	return d, err
}

// DraftFromJSON returns the draft of a request in JSON, redacted, and the path of its project. An event without a time gets the time now.
func DraftFromJSON(f wire.Foreign, now time.Time) (d *Draft, root string, err error) {
	ev, err := events.FromJSON(f.Type, f.Data)
	if err != nil {
		return nil, "", err
	}
	m := events.Meta{ID: f.ID, At: cmp.Or(f.At, now.UnixNano()), Agent: f.Agent, Session: f.Session, Lane: f.Lane, Project: f.Project}
	if f.Root != "" && f.Project == "" {
		m.Project = client.ProjectKey(f.Root)
	}
	d, err = DraftOf(events.MapText(ev, redact.Text), m)
	return d, f.Root, err
}

// SequencesOf returns the sequences of stored drafts.
func SequencesOf(all []*Draft) (seqs []uint64) {
	for _, d := range all {
		seqs = append(seqs, d.Sequence)
	}
	return seqs
}

// Target returns the lane of an event.
func (d *Draft) Target() projections.Target { return laneOf(d.Meta) }

// Refused reports whether a retry after err is useless: an event is at fault, or the recording of its project was paused.
func Refused(err error) bool {
	final := []error{client.ErrPaused, events.ErrMalformed, events.ErrTooLarge, events.ErrUndeclared, events.ErrNotAppendable}
	return slices.ContainsFunc(final, func(target error) bool { return errors.Is(err, target) })
}
