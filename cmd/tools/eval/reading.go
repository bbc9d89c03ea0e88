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
	"journal/replay/knowledge"
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

// read finds the items of labels. absent are the labels whose item the audit does
// not have: it knows less by now, or the transcript is another one.
func read(ctx context.Context, sessions map[string]session, labels []label) (all []reading, absent []label, err error) {
	for _, l := range labels {
		r, ok, err := sessions[l.session].read(ctx, l)
		switch {
		case err != nil:
			return nil, nil, err
		case ok:
			all = append(all, r)
		default:
			absent = append(absent, l)
		}
	}
	return all, absent, nil
}

// unlabelled are the items of a kind that have no label, of the compactions that
// have some.
func unlabelled(sessions map[string]session, labels []label, kind knowledge.Kind) (all []reading, err error) {
	known, seen := map[string]bool{}, map[string]bool{}
	for _, l := range labels {
		known[l.id()] = true
	}
	for _, l := range labels {
		if seen[l.compaction()] {
			continue
		}
		seen[l.compaction()] = true
		s := sessions[l.session]
		c := s.compactions[l.row]
		summary, err := s.summary(c)
		if err != nil {
			return nil, err
		}
		for _, it := range c.Items {
			if l.kind, l.mac = it.Kind, s.key.mac(it.Text); it.Kind == kind && !known[l.id()] {
				all = append(all, reading{label: l, item: it, summary: summary})
			}
		}
	}
	return all, nil
}

// openAll audits the sessions of labels, from their transcripts below a directory.
func openAll(ctx context.Context, dir, scratch string, labels []label) (map[string]session, error) {
	wanted := map[string]bool{}
	for _, l := range labels {
		wanted[l.session] = true
	}
	paths, err := transcripts(ctx, dir, scratch, wanted)
	if err != nil {
		return nil, err
	}
	log, err := imported(ctx, slices.Sorted(maps.Values(paths)))
	if err != nil {
		return nil, err
	}
	all := map[string]session{}
	for id, path := range paths {
		if all[id], err = open(ctx, log, id, path); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// session is one whose compactions are audited.
type session struct {
	log         replay.Slice // its main thread
	target      projections.Target
	key         key
	compactions map[int]audit.Compaction // by the line of their summary
}

func open(ctx context.Context, log replay.Slice, id, path string) (session, error) {
	s := session{target: projections.Target{Session: id}, compactions: map[int]audit.Compaction{}}
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
	if r.summary, err = s.summary(c); err == nil {
		r.alone, err = s.alone(ctx, c, r.item)
	}
	return r, true, err
}

func (s session) summary(c audit.Compaction) (string, error) {
	for _, e := range s.log {
		if e.Seq == c.SummarySeq {
			ev, err := events.Open(e)
			completed, _ := ev.(events.CompactionCompleted)
			return completed.Summary, err
		}
	}
	return "", nil
}

// alone audits a log that has the compaction and of what was known before it only
// the item's own event, with how its command ended if that was reported later.
func (s session) alone(ctx context.Context, c audit.Compaction, it audit.Item) (bool, error) {
	var log replay.Slice
	var ran events.CommandRan
	for _, e := range s.log {
		switch {
		case e.Seq == it.Seq:
			own, err := only(e, it.Text)
			if err != nil {
				return false, err
			}
			ev, err := events.Open(own)
			if err != nil {
				return false, err
			}
			ran, _ = ev.(events.CommandRan)
			log = append(log, own)
		case ran.Command != "" && e.Seq < c.Seq && isEnd(e, ran):
			log = append(log, e)
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

// isEnd says that an event reports how a command ended that ran before.
func isEnd(e events.Envelope, ran events.CommandRan) bool {
	switch ev, _ := events.Open(e); ev := ev.(type) { // what cannot be read reports nothing
	case events.BackgroundEnded:
		return ran.Background != "" && ev.Task == ran.Background
	case events.CommandExited:
		return ran.Use != "" && ev.Use == ran.Use
	}
	return false
}

// only makes an event about one task or step say its text, and say it of no other.
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
	case events.PlanApproved:
		ev.Text = "- " + text
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
