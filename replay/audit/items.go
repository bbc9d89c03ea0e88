package audit

import (
	"slices"

	"journal/projections"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// knowledgeBefore holds what a lane knew before a compaction.
type knowledgeBefore struct {
	items      []Item       // the items worth keeping
	background []match.Item // the other items, for the matcher
	past       []Item       // items of the background that were worth keeping at an earlier compaction
	others     int          // number of all known things that are not in items
}

// earlierItems describes the items of a lane's earlier compactions.
type earlierItems struct {
	summarized   map[string]bool // ids of the items that a summary had
	worthKeeping map[string]bool // ids and text keys of the items worth keeping
}

// wasWorthKeeping reports whether the item, or one with the same kind and text, was worth keeping at an earlier compaction.
func (m earlierItems) wasWorthKeeping(it Item) bool {
	return m.worthKeeping[it.ID] || m.worthKeeping[it.textKey()]
}

func (m earlierItems) add(it Item) {
	m.worthKeeping[it.ID], m.worthKeeping[it.textKey()] = true, true
	if it.Status == InSummary {
		m.summarized[it.ID] = true
	}
}

// textKey returns a key that an item shares with items of the same kind and text.
func (it Item) textKey() string { return string(it.Kind) + " " + it.Text }

// knownItems returns the knowledge of a fold. Items are sorted by kind. promotions has the events of compounds, oldest first. Working
// notes that were promoted at or before the sequence since are left out: they belong to an earlier compaction.
func knownItems(f *projections.Fold, promotions []uint64, since uint64, earlier earlierItems) (k knowledgeBefore) {
	rate := knowledge.Rate(f)
	byKind := map[knowledge.Kind][]Item{}
	for _, def := range knowledge.Kinds() {
		if def.Audit.Count != nil {
			k.others += def.Audit.Count(f)
		}
	}
	for _, list := range slices.Backward(knowledge.AuditedLists(f)) { // lists have the newest items first, reports the oldest
		for i := range slices.Backward(list) {
			source := &list[i]
			done := promotable(source) && source.Entry.Promoted && promotion(*source.Entry, promotions) <= since
			def := source.Kind.Def()
			if def.Audit.Match == knowledge.Unaudited || source.Foreign || done {
				continue
			}
			it := Item{ID: source.Key().String(), Kind: source.Key().Kind, Seq: source.Seq, Weak: source.Weak, def: def, source: source}
			it.Text, it.Detail = source.Reported()
			source.Summarized = earlier.summarized[it.ID]
			if it.Worth = rate(*source).Rank; it.Worth == 0 {
				k.others++
				k.background = append(k.background, MatcherItem(it.def, it.Text))
				if earlier.wasWorthKeeping(it) {
					it.source = nil
					k.past = append(k.past, it)
				}
				continue
			}
			byKind[it.Kind] = append(byKind[it.Kind], it)
		}
	}
	for _, kind := range knowledge.Audited() {
		slices.SortStableFunc(byKind[kind], func(a, b Item) int { return knowledge.CompareInReport(a.source, b.source) })
		k.items = append(k.items, byKind[kind]...)
	}
	return k
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

// MatcherItem returns an item of a kind in the form that a matcher compares.
func MatcherItem(kind *knowledge.Def, text string) match.Item {
	switch kind.Audit.Match {
	case knowledge.ByTask:
		return match.Task(text)
	case knowledge.ByPath:
		return match.Path(text)
	default:
		return match.Words(text, knowledge.Own(text))
	}
}
