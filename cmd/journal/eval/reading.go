package main

import (
	"context"
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
	var log replay.Slice
	for _, e := range s.log {
		switch {
		case e.Seq == r.item.Seq:
			e, err = only(e, r.item.Text)
			log = append(log, e)
		case e.Seq >= c.Seq && e.Seq <= c.SummarySeq:
			log = append(log, e)
		}
		if err == nil && e.Seq == c.SummarySeq {
			r.summary, err = summaryOf(e)
		}
		if err != nil {
			return r, false, err
		}
	}
	report, err := audit.Audit(ctx, log, s.target, projections.Config{})
	if err != nil || len(report.Compactions) == 0 {
		return r, err == nil, err
	}
	for _, it := range report.Compactions[0].Items {
		r.alone = r.alone || it.Kind == l.kind && it.Text == r.item.Text && found(it)
	}
	return r, true, nil
}

// only leaves of a list of todos the one with a text.
func only(e events.Envelope, text string) (events.Envelope, error) {
	ev, err := events.Open(e)
	list, isList := ev.(events.TodosWritten)
	if err != nil || !isList {
		return e, err
	}
	list.Todos = slices.DeleteFunc(slices.Clone(list.Todos), func(t events.Todo) bool { return t.Text != text })
	one, err := events.Wrap(list, e.Meta)
	one.Seq = e.Seq
	return one, err
}

func summaryOf(e events.Envelope) (string, error) {
	ev, err := events.Open(e)
	completed, _ := ev.(events.CompactionCompleted)
	return completed.Summary, err
}
