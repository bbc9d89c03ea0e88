package audit

import (
	"fmt"
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// answer says of every item of a compaction what became of it, and adds the items to what earlier compactions knew.
func (p *pass) answer(w *episode, earlier earlierItems) Compaction {
	k := knownItems(w.before, w.promotions, w.since, earlier)
	c := Compaction{
		Ordinal: w.compaction.Count, Lane: p.fold.Target().Lane, Seq: w.compaction.Seq, At: w.compaction.At,
		Trigger: w.compaction.Trigger, Agent: w.agent, Client: projections.SessionInfo.In(w.before).Client, HasSummary: w.summary != "", SummarySeq: w.compaction.SummarySeq,
		Others: k.others, Items: k.items, past: k.past,
	}
	a := answers{episode: w, subjects: p.subjects, vocabulary: &p.vocabulary, shelves: newShelves(w.files, w.agent, c.Items, &p.vocabulary)}
	if c.HasSummary {
		from, to := Seen(w.summary)
		var asked []match.Item
		for _, it := range c.Items {
			asked = append(asked, MatcherItem(it.def, it.Text))
		}
		a.summary = match.New(w.summary, from, to, asked, k.background, &p.vocabulary)
	}
	for i := range c.Items {
		it := &c.Items[i]
		it.Status, it.Evidence = a.find(i, it)
		c.Totals.add(it.Status)
		it.source = nil
		earlier.add(*it)
	}
	return c
}

// answers finds the answers for one compaction.
type answers struct {
	*episode
	subjects   map[uint64][]knowledge.Subject
	summary    *match.Matcher // nil without a summary
	vocabulary *match.Vocabulary
	shelves    []shelf
}

// find returns the first status with evidence, in the order of Statuses, with what compared the item with
// the summary.
func (a answers) find(i int, it *Item) (Status, Evidence) {
	answer, place := match.Unclear, (*match.Match)(nil)
	if a.summary == nil {
		return a.first(i, it, answer, place)
	}
	answer, place = a.summary.Find(i)
	j, judged := a.judged(it)
	if judged {
		answer, place, judged = j.combine(answer, place)
	}
	status, e := a.first(i, it, answer, place)
	switch {
	case status != InSummary && status != Unclear && status != Lost:
	case judged:
		if status == Unclear && e.Match != nil {
			e.Why = "the judge answered lost, but the summary has " + quoted(e.Match.Quote)
		}
		e.By, e.Judge, e.Judged = "judge", j.judge, j.seq
		e.Why += " (" + j.judge + ")"
	default:
		e.By = "rule"
	}
	return status, e
}

func (a answers) first(i int, it *Item, answer match.Answer, place *match.Match) (Status, Evidence) {
	if e, ok := a.promoted(i, it); ok {
		return Promoted, e
	}
	if answer == match.Found {
		return InSummary, Evidence{Seq: a.compaction.SummarySeq, Match: place, Why: "the summary tells it: " + quoted(place.Quote)}
	}
	for _, r := range a.deliveries {
		for _, seq := range r.Kept {
			if slices.Contains(a.subjects[seq], knowledge.Subject{Kind: it.Kind, Text: it.Text}) {
				return Kept, Evidence{Seq: seq, Receipt: r.seq, Why: "the client carried it over by itself"}
			}
		}
	}
	if e, ok := a.loaded(i, it); ok {
		return Kept, e
	}
	status, carried := a.carried(it)
	if status == Restored || status == Offered {
		return status, carried
	}
	if e, ok := a.inFile(i, it); ok {
		return InFile, e
	}
	if it.source.Entry != nil {
		if seq := promotion(*it.source.Entry, a.all); seq != 0 {
			return Reviewed, Evidence{Seq: seq, Why: "a compound came after it was first observed, and nothing shows that it was promoted"}
		}
	}
	switch {
	case status == Unclear:
		return Unclear, carried
	case a.summary == nil:
		return Unclear, Evidence{Why: "no summary of this compaction was recorded"}
	case answer == match.NotFound:
		return Lost, Evidence{Seq: a.compaction.SummarySeq, Why: "the summary does not tell it, and nothing else carried it"}
	case place == nil:
		return Unclear, Evidence{Seq: a.compaction.SummarySeq, Why: "it has no words that a summary could tell"}
	}
	return Unclear, Evidence{Seq: a.compaction.SummarySeq, Match: place, Why: fmt.Sprintf("the summary tells at most %d %% of it: %s", place.Share, quoted(place.Quote))}
}

// carried looks for an item in the recovery texts. It prefers a text that arrived, then the one with the larger share.
// The status is Unclear if the preferred text has only a part of the item, and empty if no text has it.
func (a answers) carried(it *Item) (best Status, evidence Evidence) {
	most := -1
	for _, o := range a.given {
		share, carries := o.share(it.source.Key())
		if !carries {
			share, carries = it.source.ShareIn(o.share)
		}
		if !carries {
			continue
		}
		receipt, shown := a.arrival(o, it)
		status, worth := Offered, share
		e := Evidence{Seq: o.seq, Receipt: receipt, Why: "the recovery text carried it; nothing shows that it arrived"}
		if receipt != 0 {
			status, worth = Restored, worth+1000
			e.Why = "the recovery text carried it, and " + shown
		}
		if share < 100 {
			status = Unclear
			e.Why = fmt.Sprintf("the recovery text carried %d %% of it", share)
		}
		if worth > most || worth == most && receipt == 0 { // of several that were only offered, the newest
			best, evidence, most = status, e, worth
		}
	}
	return best, evidence
}

// arrival returns the event that proves that an item of a recovery text arrived, and how: the whole text arrived, or the
// client's preview shows the item. seq is 0 without proof.
func (a answers) arrival(o offer, it *Item) (seq uint64, how string) {
	for _, r := range a.deliveries {
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
func quoted(s string) string { return `"` + text.CutLine(s, 80) + `"` }

// reminder begins the text that a client appends to a summary.
const reminder = "\n\nIf you need specific details from before compaction"

// Seen returns the byte range of a summary that the model sees: the inside of <summary>, else what follows </analysis>,
// else all of it (ADR-0010 rule 6).
func Seen(s string) (from, to int) {
	if i := strings.Index(s, reminder); i >= 0 {
		s = s[:i]
	}
	if i := strings.Index(s, "<summary>"); i >= 0 {
		from = i + len("<summary>")
		if n := strings.LastIndex(s[from:], "</summary>"); n >= 0 {
			return from, from + n
		}
		return from, len(s)
	}
	if i := strings.LastIndex(s, "</analysis>"); i >= 0 {
		return i + len("</analysis>"), len(s)
	}
	return 0, len(s)
}
