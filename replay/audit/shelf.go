package audit

import (
	"maps"
	"slices"
	"strings"

	"journal/events"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// minShelved is the fewest words of a text that is recognised in a file. "go on" is everywhere.
const minShelved = 3

// shelf is one observed file at the end of an episode, with a matcher of some items.
type shelf struct {
	path    string
	seq     uint64
	matcher *match.Matcher
	at      map[int]int // index of an item of the compaction → index in the matcher
}

// newShelves returns the observed files with every item that is long enough, and the files of lasting knowledge with the
// entries of working notes among them.
func newShelves(files map[string]observation, items []Item, v *match.Vocabulary) (all, stock []shelf) {
	var asked, notes []match.Item
	at, noteAt := map[int]int{}, map[int]int{}
	for i, it := range items {
		if v.Count(it.Text) < minShelved {
			continue
		}
		at[i] = len(asked)
		asked = append(asked, match.Words(it.Text, it.Text))
		if promotable(it.source) {
			noteAt[i] = len(notes)
			notes = append(notes, asked[at[i]])
		}
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		f := files[path]
		if f.Gone || len(asked) == 0 {
			continue
		}
		text := textOf(f.FileObserved)
		all = append(all, shelf{path, f.seq, match.New(text, 0, len(text), asked, nil, v), at})
		if f.Kind == events.StockFile && len(notes) > 0 {
			stock = append(stock, shelf{path, f.seq, match.New(text, 0, len(text), notes, nil, v), noteAt})
		}
	}
	return all, stock
}

// inFile reports whether the newest observation of a file held an item (ADR-0007 rule 7). Entries of working notes are
// known from their file's observations, everything else is compared word for word.
func (a answers) inFile(i int, it *Item) (Evidence, bool) {
	if entry := it.source.Entry; entry != nil && entry.File != "" {
		for _, e := range a.flow.Entries {
			if f, observed := a.files[e.File]; e.ID == entry.ID && e.DroppedSeq == 0 && observed && !f.Gone {
				return Evidence{Seq: f.seq, Path: e.File, Why: "the newest observation of the file held it"}, true
			}
		}
		return Evidence{}, false
	}
	for _, f := range a.shelf {
		if n, asked := f.at[i]; asked && f.matcher.Holds(n) != nil {
			return Evidence{Seq: f.seq, Path: f.path, Why: "the newest observation of the file held it word for word"}, true
		}
	}
	return Evidence{}, false
}

// promotable reports whether a compound can promote an item.
func promotable(k *knowledge.Item) bool { return k.Entry != nil && !k.Entry.Plan }

// promoted looks for evidence that an entry was promoted: a compound named it, or lasting knowledge holds it.
func (a answers) promoted(i int, k *knowledge.Item) (Evidence, bool) {
	if !promotable(k) {
		return Evidence{}, false
	}
	if seq := a.named[k.Entry.ID]; seq != 0 {
		return Evidence{Seq: seq, Why: "a compound named it among what it promoted"}, true
	}
	for _, f := range a.stock {
		n, asked := f.at[i]
		if !asked {
			continue
		}
		if is, at := f.matcher.Find(n); is == match.Told {
			return Evidence{Seq: f.seq, Path: f.path, Match: at, Why: "lasting knowledge holds it: " + quoted(at.Quote)}, true
		}
	}
	return Evidence{}, false
}

// textOf returns the recorded text of an observed file.
func textOf(f events.FileObserved) string {
	var b strings.Builder
	for _, l := range f.Labels {
		b.WriteString(l.Value + "\n")
	}
	for _, e := range f.Entries {
		b.WriteString(e.Heading + "\n" + e.Text + "\n")
	}
	return b.String()
}
