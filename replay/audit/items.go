package audit

import (
	"slices"

	"journal/projections"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// known lists the items of a lane before a compaction.
type known struct {
	items      []Item       // worth keeping
	background []match.Item // texts and files that are not
	past       []Item       // those of them that were worth keeping at an earlier compaction
	others     int          // the number of everything else
}

// memory lists the items of earlier compactions of a lane.
type memory struct {
	summarized map[string]bool // ids of items that a summary told
	led        map[string]bool // ids, and kinds with texts, of items worth keeping
}

func (m memory) had(it Item) bool { return m.led[it.ID] || m.led[it.saying()] }

func (m memory) add(it Item) {
	m.led[it.ID], m.led[it.saying()] = true, true
	if it.Status == Told {
		m.summarized[it.ID] = true
	}
}

func (it Item) saying() string { return string(it.Kind) + " " + it.Text }

// knownTo returns what a fold knows, the items by kind. It skips entries of working notes that a compound went by until
// since: they belong to an earlier compaction.
func knownTo(f *projections.Fold, promotions []uint64, since uint64, earlier memory) (k known) {
	rate := knowledge.Rate(f)
	byKind := map[knowledge.Kind][]Item{}
	for _, def := range knowledge.Kinds() {
		if def.Audit.Count != nil {
			k.others += def.Audit.Count(f)
		}
	}
	for _, list := range slices.Backward(knowledge.AuditedLists(f)) {
		for i := range slices.Backward(list) {
			source := &list[i]
			old := promotable(source) && source.Entry.Promoted && promotion(*source.Entry, promotions) <= since
			def := source.Kind.Def()
			if def.Audit.Match == knowledge.Unaudited || source.Foreign || old {
				continue
			}
			it := Item{ID: source.Key().String(), Kind: source.Key().Kind, Seq: source.Seq, Weak: source.Weak, def: def, source: source}
			it.Text, it.Detail = source.Reported()
			source.Summarized = earlier.summarized[it.ID]
			if it.Worth = rate(*source).Rank; it.Worth == 0 {
				k.others++
				k.background = append(k.background, MatchOf(it.def, it.Text))
				if earlier.had(it) {
					it.source = nil
					k.past = append(k.past, it)
				}
				continue
			}
			byKind[it.Kind] = append(byKind[it.Kind], it)
		}
	}
	for _, kind := range knowledge.Audited() {
		slices.SortStableFunc(byKind[kind], func(a, b Item) int { return knowledge.InReport(a.source, b.source) })
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

// MatchOf returns a text of a kind as a matcher finds it.
func MatchOf(kind *knowledge.Def, text string) match.Item {
	switch kind.Audit.Match {
	case knowledge.ByTask:
		return match.Task(text)
	case knowledge.ByPath:
		return match.Path(text)
	default:
		return match.Words(text, knowledge.Own(text))
	}
}
