package audit

import (
	"maps"
	"slices"
	"strings"

	"journal/events"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// stock has a matcher for each file of lasting knowledge at the end of an episode. It finds entries of working notes.
type stock []knowledgeFile

type knowledgeFile struct {
	path    string
	seq     uint64
	matcher *match.Matcher
	at      map[int]int // index of an item of the compaction → index in the matcher
}

// newStock returns an empty stock if there is no such file or no distinctive entry.
func newStock(files map[string]observation, items []Item, v *match.Vocabulary) stock {
	var notes []Item
	at := map[int]int{}
	for i, it := range items {
		if !promotable(it.source) {
			continue
		}
		if _, n := v.Forms(it.Text); n >= minShelved {
			at[i] = len(notes)
			notes = append(notes, it)
		}
	}
	var all stock
	if len(notes) == 0 {
		return all
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if f := files[path]; f.Kind == events.StockFile && !f.Gone {
			all = append(all, knowledgeFile{path, f.seq, newMatcher(textOf(f.FileObserved), notes, v), at})
		}
	}
	return all
}

// promotable reports whether a compound can promote an item.
func promotable(k *knowledge.Item) bool { return k.Entry != nil && !k.Entry.Plan }

// promoted looks for evidence that an entry was promoted: a compound named it, or lasting knowledge holds it.
func (j judge) promoted(i int, k *knowledge.Item) (Evidence, bool) {
	if !promotable(k) {
		return Evidence{}, false
	}
	if seq := j.named[k.Entry.ID]; seq != 0 {
		return Evidence{Seq: seq, Why: "a compound named it among what it promoted"}, true
	}
	for _, f := range j.stock {
		n, asked := f.at[i]
		if !asked {
			continue
		}
		if m := f.matcher.Find(n); m != nil {
			return Evidence{Seq: f.seq, Path: f.path, Why: "lasting knowledge holds it: " + quoted(m.Quote)}, true
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
