package audit

import (
	"slices"

	"journal/projections"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// itemsOf lists the items of a fold, by kind. It skips entries of working notes that a compound went by until since: they
// belong to an earlier compaction. told has the items that earlier summaries said.
func itemsOf(f *projections.Fold, promotions []uint64, since uint64, told map[string]bool) []Item {
	rate := knowledge.Rate(f)
	of, all := map[knowledge.Kind][]*knowledge.Item{}, 0
	for _, list := range slices.Backward(knowledge.Lists(f)) {
		for i := range slices.Backward(list) {
			k := &list[i]
			old := promotable(k) && k.Entry.Promoted && promotion(*k.Entry, promotions) <= since
			if k.Kind.Def().Audit.Match != knowledge.Unaudited && !k.Foreign && !old {
				kind := k.Key().Kind
				of[kind], all = append(of[kind], k), all+1
			}
		}
	}
	items := make([]Item, 0, all)
	for _, kind := range knowledge.Audited() {
		slices.SortStableFunc(of[kind], knowledge.InReport)
		for _, k := range of[kind] {
			id := k.Key().String()
			k.Told = told[id]
			it := Item{ID: id, Kind: kind, Seq: k.Seq, Weak: k.Weak, of: k.Kind.Def(), source: k, rated: rate(*k)}
			it.Text, it.Detail = k.Reported()
			it.Worth, it.Routine = it.rated.Rank, it.rated.Routine()
			items = append(items, it)
		}
	}
	return items
}

// promotion returns the first promotion after an entry's first observation, 0 for none. Plans are never promoted.
func promotion(e projections.FlowEntry, promotions []uint64) uint64 {
	if e.Plan {
		return 0
	}
	for _, seq := range promotions {
		if seq > e.Seq {
			return seq
		}
	}
	return 0
}

// newMatcher returns a matcher of items in a text.
func newMatcher(text string, items []Item, v *match.Vocabulary) *match.Matcher {
	all := make([]match.Item, len(items))
	for i, it := range items {
		switch by := it.of.Audit.Match; {
		case by == knowledge.ByTask && (it.Kind == knowledge.Refusal || it.Routine || it.Kind == knowledge.Plan || it.Detail == "in_progress"):
			all[i] = match.Task(it.Text, it.Routine)
		case by == knowledge.ByPath:
			all[i] = match.Path(it.Text)
		case by == knowledge.ByCommand:
			all[i] = match.Command(it.Text, it.ran.About, it.ran.Output)
		case by == knowledge.ByFailure:
			all[i] = match.Failure(it.Text, it.Detail)
		default:
			all[i] = match.Words(it.Text, knowledge.Own(it.Text))
		}
	}
	return match.New(text, all, v)
}
