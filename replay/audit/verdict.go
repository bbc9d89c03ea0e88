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

// audited returns the audit of an episode's compaction, and adds its items to those of earlier compactions.
func (p *pass) audited(e *episode, earlier earlierItems) Compaction {
	k := knownItems(e.before, e.promotions, e.since, earlier)
	c := Compaction{
		Ordinal: e.compaction.Count, Lane: p.fold.Target().Lane, Seq: e.compaction.Seq, At: e.compaction.At,
		Trigger: e.compaction.Trigger, Agent: e.agent, Client: projections.SessionInfo.In(e.before).Client, HasSummary: e.summary != "", SummarySeq: e.compaction.SummarySeq,
		Others: k.others, Items: k.items, past: k.past,
	}
	v := verdicts{episode: e, subjects: p.subjects, vocabulary: &p.vocabulary, fileMatchers: newFileMatchers(e.files, e.agent, c.Items, &p.vocabulary)}
	if c.HasSummary {
		from, to := SeenRange(e.summary)
		var wanted []match.Item
		for _, it := range c.Items {
			wanted = append(wanted, MatcherItem(it.def, it.Text))
		}
		v.summary = match.New(e.summary, from, to, wanted, k.background, &p.vocabulary)
	}
	for i := range c.Items {
		it := &c.Items[i]
		it.Status, it.Evidence = v.decide(i, it)
		c.Totals.add(it.Status)
		it.source = nil
		earlier.add(*it)
	}
	return c
}

// verdicts decides what became of the items of one compaction.
type verdicts struct {
	*episode
	subjects     map[uint64][]knowledge.Subject
	summary      *match.Matcher // nil without a summary
	vocabulary   *match.Vocabulary
	fileMatchers []fileMatcher
}

// decide returns the status of the i-th item and its evidence. If a comparison with the summary decided, Evidence.By names the
// comparer: a rule or a judge.
func (v verdicts) decide(i int, it *Item) (Status, Evidence) {
	if v.summary == nil {
		return v.firstStatus(i, it, match.Unclear, nil)
	}
	verdict, place := v.summary.Find(i)
	j, judged := v.newestJudgement(it)
	changed := false
	if judged {
		verdict, place, changed = j.combine(verdict, place)
	}
	status, e := v.firstStatus(i, it, verdict, place)
	switch {
	case status != InSummary && status != Unclear && status != Lost: // the summary did not matter
	case changed:
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

// firstStatus returns the first status with evidence, in the order of Statuses. verdict is the verdict about the summary, and place
// the most similar passage of the summary, nil for none.
func (v verdicts) firstStatus(i int, it *Item, verdict match.Verdict, place *match.Match) (Status, Evidence) {
	if e, ok := v.promoted(i, it); ok {
		return Promoted, e
	}
	if verdict == match.Found {
		return InSummary, Evidence{Seq: v.compaction.SummarySeq, Match: place, Why: "the summary tells it: " + quoted(place.Quote)}
	}
	for _, r := range v.deliveries {
		for _, seq := range r.Kept {
			if slices.Contains(v.subjects[seq], knowledge.Subject{Kind: it.Kind, Text: it.Text}) {
				return Kept, Evidence{Seq: seq, Receipt: r.seq, Why: "the client carried it over by itself"}
			}
		}
	}
	if e, ok := v.loaded(i, it); ok {
		return Kept, e
	}
	status, carried := v.carried(it)
	if status == Restored || status == Offered {
		return status, carried
	}
	if e, ok := v.inFile(i, it); ok {
		return InFile, e
	}
	if it.source.Entry != nil {
		if seq := promotion(*it.source.Entry, v.allPromotions); seq != 0 {
			return Reviewed, Evidence{Seq: seq, Why: "a compound came after it was first observed, and nothing shows that it was promoted"}
		}
	}
	switch {
	case status == Unclear:
		return Unclear, carried
	case v.summary == nil:
		return Unclear, Evidence{Why: "no summary of this compaction was recorded"}
	case verdict == match.NotFound:
		return Lost, Evidence{Seq: v.compaction.SummarySeq, Why: "the summary does not tell it, and nothing else carried it"}
	case place == nil:
		return Unclear, Evidence{Seq: v.compaction.SummarySeq, Why: "it has no words that a summary could tell"}
	}
	return Unclear, Evidence{Seq: v.compaction.SummarySeq, Match: place, Why: fmt.Sprintf("the summary tells at most %d %% of it: %s", place.Share, quoted(place.Quote))}
}

// carried looks for an item in the recovery texts. It prefers a text that arrived, then the one with the larger share.
// The status is Unclear if the preferred text has only a part of the item, and empty if no text has it.
func (v verdicts) carried(it *Item) (best Status, evidence Evidence) {
	most := -1
	for _, o := range v.offered {
		share, carries := o.share(it.source.Key())
		if !carries {
			share, carries = it.source.ShareIn(o.share)
		}
		if !carries {
			continue
		}
		receipt, how := v.arrival(o, it)
		status, rank := Offered, share
		e := Evidence{Seq: o.seq, Receipt: receipt, Why: "the recovery text carried it; nothing shows that it arrived"}
		if receipt != 0 {
			status, rank = Restored, rank+1000 // above every text that did not arrive
			e.Why = "the recovery text carried it, and " + how
		}
		if share < 100 {
			status = Unclear
			e.Why = fmt.Sprintf("the recovery text carried %d %% of it", share)
		}
		if rank > most || rank == most && receipt == 0 { // of equal texts that did not arrive, the newest
			best, evidence, most = status, e, rank
		}
	}
	return best, evidence
}

// arrival returns the event that proves that an item of a recovery text arrived, and how: the whole text arrived, or the
// client's preview shows the item. seq is 0 without proof.
func (v verdicts) arrival(o offeredText, it *Item) (seq uint64, how string) {
	for _, r := range v.deliveries {
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

// quoted returns a quote in quotation marks, shortened to 80 UTF-16 units.
func quoted(s string) string { return `"` + text.CutLine(s, 80) + `"` }

// reminder begins the text that a client appends to a summary.
const reminder = "\n\nIf you need specific details from before compaction"

// SeenRange returns the byte range of a summary that the model sees: the inside of <summary>, else what follows </analysis>,
// else all of it (ADR-0010 rule 6). It ends before the client's reminder.
func SeenRange(s string) (from, to int) {
	s, _, _ = strings.Cut(s, reminder)
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
