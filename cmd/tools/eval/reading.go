package main

import (
	"context"
	"maps"
	"slices"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// reading is a labelled item with the matcher's verdict.
type reading struct {
	label
	item    item
	verdict match.Verdict
	at      *match.Match // where the summary has the item, nil if nowhere
	summary string       // of the compaction
}

// item is a text or file that was known before a compaction.
type item struct {
	kind         *knowledge.Def
	text, detail string
}

// read finds the items of labels. absent are the labels whose item the audit does not have: the audit changed, or the transcript
// is another one.
func read(sessions map[string]session, labels []label) (all []reading, absent []label, err error) {
	for _, l := range labels {
		r, ok, err := sessions[l.session].read(l)
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

// unlabelled returns the items of a kind without a label, of the compactions with at least one label.
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
		items, err := s.items(c)
		if err != nil {
			return nil, err
		}
		for _, it := range items {
			l.kind, l.mac = kindOf(it.kind), s.key.mac(it.text) // l becomes a label of the same compaction and part
			if l.kind == kind && !known[l.id()] {
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

// session is a session with its audited compactions.
type session struct {
	log         replay.Slice // events of its main lane
	target      projections.Target
	key         key
	compactions map[int]audit.Compaction // by the lines of their summaries
	vocabulary  *match.Vocabulary
}

// open audits a session of a log, whose transcript is at path.
func open(ctx context.Context, log replay.Slice, id, path string) (session, error) {
	s := session{target: projections.Target{Session: id}, compactions: map[int]audit.Compaction{}, vocabulary: &match.Vocabulary{}}
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

// kindOf returns the kind under which a report counts items.
func kindOf(d *knowledge.Def) knowledge.Kind { return knowledge.Item{Kind: d.Kind}.Key().Kind }

// items lists the items that were known before a compaction and that an audit looks for.
func (s session) items(c audit.Compaction) (all []item, err error) {
	f := projections.NewFold(s.target, projections.Config{}, append(knowledge.AuditNeeds(), projections.SessionInfo)...)
	for _, e := range s.log {
		if e.Seq < c.Seq {
			f.Apply(e)
		}
	}
	for _, list := range knowledge.AuditedLists(f) {
		for _, it := range list {
			if it.Kind.Def().Audit.Match != knowledge.Unaudited && !it.Foreign {
				text, detail := it.Reported()
				all = append(all, item{it.Kind.Def(), text, detail})
			}
		}
	}
	return all, nil
}

// read finds the item of a label, and asks the matcher about it; ok is false if there is no such item.
func (s session) read(l label) (r reading, ok bool, err error) {
	c, known := s.compactions[l.row]
	if !known {
		return r, false, nil
	}
	items, err := s.items(c)
	if err != nil {
		return r, false, err
	}
	at := slices.IndexFunc(items, func(it item) bool { return kindOf(it.kind) == l.kind && s.key.mac(it.text) == l.mac })
	if at < 0 {
		return r, false, nil
	}
	r = reading{label: l, item: items[at]}
	if r.summary, err = s.summary(c); err != nil {
		return r, false, err
	}
	var asked []match.Item
	for _, it := range items {
		asked = append(asked, audit.MatcherItem(it.kind, it.text))
	}
	from, to := audit.SeenRange(r.summary)
	r.verdict, r.at = match.New(r.summary, from, to, asked, nil, s.vocabulary).Find(at)
	return r, true, nil
}

// summary returns the summary of a compaction, empty without one.
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
