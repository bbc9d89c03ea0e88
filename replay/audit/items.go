package audit

import (
	"slices"

	"journal/projections"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// itemsOf lists what a fold knows, by kind. Entries of working notes that a compound went by up
// to since belong to an earlier time and are left out. told holds the items that the summary
// before had.
func itemsOf(f *projections.Fold, promotions []uint64, since uint64, told map[string]bool) []Item {
	known, rate := knowledge.Of(f), knowledge.Rate(f)
	of, count := map[knowledge.Kind][]Item{}, map[knowledge.Kind]int{}
	for i := range known {
		count[known[i].Key().Kind]++
	}
	for i := range slices.Backward(known) {
		k := &known[i]
		old := promotable(k) && k.Entry.Promoted && promotion(*k.Entry, promotions) <= since
		def := k.Kind.Def()
		if def.Audit.Match == knowledge.Unaudited || k.Foreign || old {
			continue
		}
		key := k.Key()
		id := key.String()
		k.Told = told[id]
		it := Item{ID: id, Kind: key.Kind, Seq: k.Seq, Weak: k.Weak, of: def, source: k, rated: rate(*k)}
		it.Text, it.Detail = k.Reported()
		it.Worth, it.Routine = it.rated.Rank, it.rated.Routine()
		if of[it.Kind] == nil {
			of[it.Kind] = make([]Item, 0, count[it.Kind])
		}
		of[it.Kind] = append(of[it.Kind], it)
	}
	var all [][]Item
	for _, kind := range knowledge.Audited() {
		slices.SortStableFunc(of[kind], func(a, b Item) int { return knowledge.InReport(a.source, b.source) })
		all = append(all, of[kind])
	}
	return slices.Concat(all...)
}

// promotion gives the first promotion after an entry's first observation, 0
// for none. Sections of plans are never promoted.
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

// newMatcher prepares to find items in a text.
func newMatcher(text string, items []Item, v *match.Vocabulary) *match.Matcher {
	all := make([]match.Item, len(items))
	for i, it := range items {
		switch it.of.Audit.Match {
		case knowledge.ByPath:
			all[i] = match.Path(it.Text)
		case knowledge.ByCommand:
			all[i] = match.Command(it.Text)
		case knowledge.ByFailure:
			all[i] = match.Failure(it.Text, it.Detail)
		default:
			all[i] = match.Words(it.Text, knowledge.Own(it.Text))
		}
	}
	return match.New(text, all, v)
}
