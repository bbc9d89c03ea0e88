package audit

import (
	"fmt"
	"slices"
	"strings"

	"journal/projections"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// judge sets the status of every item of a compaction. told has the items that earlier summaries said; judge adds those
// that this one says.
func (p *pass) judge(w *episode, told map[string]bool) Compaction {
	c := Compaction{
		Ordinal: w.compaction.Count, Lane: p.fold.Target().Lane, Seq: w.compaction.Seq, At: w.compaction.At,
		Trigger: w.compaction.Trigger, Agent: w.agent, Client: projections.SessionInfo.In(w.before).Client, HasSummary: w.summary != "", SummarySeq: w.compaction.SummarySeq,
		Counts: map[Status]int{}, Items: itemsOf(w.before, w.promotions, w.since, told),
	}
	j := judge{episode: w, subjects: p.subjects, shelf: newShelf(w.files, &p.vocabulary), stock: newStock(w.files, c.Items, &p.vocabulary)}
	for i := range c.Items {
		c.Items[i].ran = p.ran[c.Items[i].Seq]
	}
	if c.HasSummary {
		j.matcher = newMatcher(w.summary, c.Items, &p.vocabulary)
	}
	for i := range c.Items {
		it := &c.Items[i]
		f := j.find(it, i)
		it.Status, it.Evidence = f.status, f.evidence
		if it.Partial = f.share < 100; it.Partial {
			it.Share = f.share
			c.Partial++
		}
		c.Counts[it.Status]++
		c.Totals.add(*it)
		if it.Status == InSummary {
			told[it.ID] = true
		}
		it.source = nil
	}
	return c
}

type judge struct {
	*episode
	subjects map[uint64][]knowledge.Subject
	matcher  *match.Matcher // nil without a summary
	shelf    shelf
	stock    stock
}

// finding is the status of an item. share is how much of the item it is true of, in percent.
type finding struct {
	status   Status
	evidence Evidence
	share    int
}

// find returns the first status with evidence, in the order of Statuses.
func (j judge) find(it *Item, i int) finding {
	if e, ok := j.promoted(i, it.source); ok {
		return finding{Promoted, e, 100}
	}
	if j.matcher != nil {
		if m := j.matcher.Find(i); m != nil {
			return finding{InSummary, Evidence{Seq: j.compaction.SummarySeq, Match: m, Why: "the summary says it: " + quoted(m.Quote)}, 100}
		}
	}
	for _, r := range j.deliveries {
		for _, seq := range r.Kept {
			if slices.Contains(j.subjects[seq], knowledge.Subject{Kind: it.Kind, Text: it.Text}) {
				return finding{Preserved, Evidence{Seq: seq, Receipt: r.seq, Why: "the client carried it over by itself"}, 100}
			}
		}
	}
	if best, ok := j.carried(it); ok {
		return best
	}
	if e, ok := j.shelf.holds(*it, j.flow); ok {
		return finding{OnDisk, e, 100}
	}
	if it.source.Entry != nil {
		if seq := promotion(*it.source.Entry, j.all); seq != 0 {
			return finding{Reviewed, Evidence{Seq: seq, Why: "a compound came after it was first observed, and nothing shows that it was promoted"}, 100}
		}
	}
	if j.matcher == nil {
		return finding{Unknown, Evidence{Why: "no summary of this compaction was recorded"}, 100}
	}
	return finding{Lost, Evidence{Seq: j.compaction.SummarySeq, Why: "the summary does not say it, and nothing else carried it"}, 100}
}

// carried looks for an item in the recovery texts. It prefers a text that arrived, then the one with the larger share.
func (j judge) carried(it *Item) (best finding, ok bool) {
	most := -1
	for _, o := range j.given {
		share, carries := o.share(it.source.Key())
		if !carries {
			share, carries = it.source.ShareIn(o.share)
		}
		if !carries {
			continue
		}
		what := "it"
		if share < 100 {
			what = fmt.Sprintf("%d %% of it", share)
		}
		f := finding{Offered, Evidence{Seq: o.seq, Why: "the recovery text carried " + what + "; nothing shows that it arrived"}, share}
		if seq, shown := j.arrival(o, it); seq != 0 {
			f = finding{Reinjected, Evidence{Seq: o.seq, Receipt: seq, Why: "the recovery text carried " + what + ", and " + shown}, share}
		}
		worth := f.share
		if f.status == Reinjected {
			worth += 1000
		}
		if worth > most || worth == most && f.status == Offered { // of several that were only offered, the newest
			best, most = f, worth
		}
	}
	return best, most >= 0
}

// arrival returns the confirmation that an item of a recovery text arrived, 0 for
// none: all of the text did, or the preview that the client showed has the item.
func (j judge) arrival(o offer, it *Item) (seq uint64, how string) {
	for _, r := range j.deliveries {
		switch {
		case r.Recovery != o.seq || r.Digest != o.Digest:
		case r.Whole:
			return r.seq, "the client's transcript shows the whole text"
		case r.shows(it):
			return r.seq, "the preview in the client's transcript shows it"
		}
	}
	return 0, ""
}

// quoted shortens a quote. The match has the whole one.
func quoted(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if runes := []rune(s); len(runes) > 80 {
		s = string(runes[:79]) + "…"
	}
	return `"` + s + `"`
}
