package audit

import (
	"slices"
	"strings"
)

// judge gives every item of a compaction its status.
func (p *pass) judge(w *span) Compaction {
	c := Compaction{
		Ordinal: w.compaction.Count, Lane: p.fold.Target().Lane, Seq: w.compaction.Seq, At: w.compaction.At,
		Trigger: w.compaction.Trigger, HasSummary: w.summary != "", SummarySeq: w.compaction.SummarySeq,
		Counts: map[Status]int{}, Items: itemsOf(w.before, w.promotions, w.since),
	}
	j := judge{span: w, names: p.names, shelf: newShelf(w.files, &p.vocabulary)}
	if c.HasSummary {
		j.matcher = newMatcher(newSummary(w.summary), c.Items, &p.vocabulary)
	}
	for i := range c.Items {
		it := &c.Items[i]
		it.Status, it.Evidence = j.status(it, i)
		c.Counts[it.Status]++
	}
	return c
}

type judge struct {
	*span
	names   map[uint64]string
	matcher *matcher // nil without a summary
	shelf   shelf
}

// status gives the first status that there is evidence for, in the order of
// Statuses.
func (j judge) status(it *Item, i int) (Status, Evidence) {
	if it.flow != nil {
		if seq := promotion(*it.flow, j.all); seq != 0 {
			return Promoted, Evidence{Seq: seq, Why: "a promotion of the working notes followed its first observation"}
		}
	}
	if j.matcher != nil {
		if m := j.matcher.find(i); m != nil {
			return InSummary, Evidence{Seq: j.compaction.SummarySeq, Match: m, Why: "the summary says it: " + quoted(m.Quote)}
		}
	}
	for _, r := range j.receipts {
		for _, seq := range r.Kept {
			if j.names[seq] == it.name() {
				return Preserved, Evidence{Seq: seq, Receipt: r.seq, Why: "the client carried it over by itself"}
			}
		}
	}
	offered := Evidence{}
	for _, g := range j.given {
		if !g.carries(*it) {
			continue
		}
		if seq, why := j.receipt(g, *it); seq != 0 {
			return Reinjected, Evidence{Seq: g.seq, Receipt: seq, Why: why}
		}
		offered = Evidence{Seq: g.seq, Why: "the recovery text carried it; nothing shows that it arrived"}
	}
	if offered.Seq != 0 {
		return Offered, offered
	}
	if e, ok := j.shelf.holds(*it, j.flow); ok {
		return OnDisk, e
	}
	if j.matcher == nil {
		return Unknown, Evidence{Why: "no summary of this compaction was recorded"}
	}
	return Lost, Evidence{Seq: j.compaction.SummarySeq, Why: "the summary does not say it, and nothing else carried it"}
}

// carries says whether a recovery text held an item. Its own kinds are finer
// than those of an audit: an earlier prompt is a prompt, a file that was only
// read a file.
func (o offer) carries(it Item) bool {
	return slices.ContainsFunc(o.Items, func(carried string) bool {
		kind, place, _ := strings.Cut(carried, "-")
		switch kind {
		case "earlier":
			kind = string(Prompt)
		case "read":
			kind = string(File)
		}
		return kind+"-"+place == it.ID
	})
}

// receipt gives the confirmation that an item of a recovery text arrived, 0 for
// none: all of the text did, or the preview that the client showed has the item.
func (j judge) receipt(o offer, it Item) (seq uint64, why string) {
	for _, r := range j.receipts {
		switch {
		case r.Recovery != o.seq || r.Digest != o.Digest:
		case r.Whole:
			return r.seq, "the recovery text carried it, and the client's transcript shows the whole text"
		case r.shows(it):
			return r.seq, "the recovery text carried it, and the preview in the client's transcript shows it"
		}
	}
	return 0, ""
}

// quoted shortens a quote for a sentence; the whole one is in the match.
func quoted(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > 80 {
		s = string(runes[:79]) + "…"
	}
	return `"` + s + `"`
}
