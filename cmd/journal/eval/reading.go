package main

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
)

// reading is a labelled item and what the audit says of it.
type reading struct {
	label
	item    audit.Item
	alone   bool // found, had it been the only item of its session
	summary string
}

// found says that the audit sees the item in the summary.
func found(it audit.Item) bool { return it.Status == audit.InSummary }

// read audits the sessions of labels. absent are the labels whose item the audit
// does not have: it knows less by now, or the transcript is another one.
func read(ctx context.Context, dir, scratch string, labels []label) (all []reading, absent []label, err error) {
	by := map[string][]label{}
	sessions := map[string]bool{}
	for _, l := range labels {
		by[l.session] = append(by[l.session], l)
		sessions[l.session] = true
	}
	paths, err := transcripts(ctx, dir, scratch, sessions)
	if err != nil {
		return nil, nil, err
	}
	log, err := imported(ctx, slices.Sorted(maps.Values(paths)))
	if err != nil {
		return nil, nil, err
	}
	for _, session := range slices.Sorted(maps.Keys(by)) {
		s, err := open(ctx, log, session, paths[session])
		if err != nil {
			return nil, nil, err
		}
		for _, l := range by[session] {
			r, ok, err := s.read(ctx, l)
			if err != nil {
				return nil, nil, err
			}
			if !ok {
				absent = append(absent, l)
				continue
			}
			all = append(all, r)
		}
	}
	return all, absent, nil
}

// session is one whose compactions are audited.
type session struct {
	log         replay.Slice // its main thread
	target      projections.Target
	key         key
	compactions map[int]audit.Compaction // by the line of their summary
}

// open audits a session. One without a transcript has no compactions.
func open(ctx context.Context, log replay.Slice, id, path string) (session, error) {
	s := session{target: projections.Target{Session: id}, compactions: map[int]audit.Compaction{}}
	if path == "" {
		return s, nil
	}
	rows, k, err := summaryRows(path)
	if err != nil {
		return s, err
	}
	s.key = k
	for _, e := range log {
		if e.Session == id && e.Lane == "" {
			s.log, s.target.Project = append(s.log, e), e.Project
		}
	}
	report, err := audit.Audit(ctx, s.log, s.target, projections.Config{})
	if err != nil {
		return s, err
	}
	for i, c := range report.Compactions {
		if i < len(rows) {
			s.compactions[rows[i]] = c
		}
	}
	return s, nil
}

func (s session) read(ctx context.Context, l label) (r reading, ok bool, err error) {
	c := s.compactions[l.row]
	at := slices.IndexFunc(c.Items, func(it audit.Item) bool { return it.Kind == l.kind && s.key.mac(it.Text) == l.mac })
	if at < 0 {
		return r, false, nil
	}
	r = reading{label: l, item: c.Items[at]}
	if i := slices.IndexFunc(s.log, func(e events.Envelope) bool { return e.Seq == c.SummarySeq }); i >= 0 {
		ev, err := events.Open(s.log[i])
		if err != nil {
			return r, false, err
		}
		completed, _ := ev.(events.CompactionCompleted)
		r.summary = completed.Summary
	}
	r.alone, err = s.alone(ctx, c, r.item)
	return r, true, err
}

// alone audits a log that has the compaction and of what was known before it only
// the item's own event.
func (s session) alone(ctx context.Context, c audit.Compaction, it audit.Item) (bool, error) {
	var log replay.Slice
	for _, e := range s.log {
		switch {
		case e.Seq == it.Seq:
			own, err := only(e, it.Text)
			if err != nil {
				return false, err
			}
			log = append(log, own)
		case e.Seq >= c.Seq && e.Seq <= c.SummarySeq:
			log = append(log, e)
		}
	}
	report, err := audit.Audit(ctx, log, s.target, projections.Config{})
	if err != nil {
		return false, err
	}
	for _, c := range report.Compactions {
		for _, own := range c.Items {
			if own.Kind == it.Kind && own.Text == it.Text {
				return found(own), nil
			}
		}
	}
	return false, fmt.Errorf("%s of session %s is not known from its own event", it.ID, s.target.Session)
}

// only makes an event about one task say its text, and say it of no other.
func only(e events.Envelope, text string) (events.Envelope, error) {
	ev, err := events.Open(e)
	if err != nil {
		return e, err
	}
	switch ev := ev.(type) {
	case events.TodosWritten:
		ev.Todos = slices.DeleteFunc(slices.Clone(ev.Todos), func(t events.Todo) bool { return t.Text != text })
		return wrapped(ev, e)
	case events.TaskChanged: // of a change later on, which need not repeat it
		ev.Subject = text
		return wrapped(ev, e)
	}
	return e, nil
}

// wrapped puts an event in the place of another.
func wrapped(ev events.Event, of events.Envelope) (events.Envelope, error) {
	e, err := events.Wrap(ev, of.Meta)
	e.Seq = of.Seq
	return e, err
}
