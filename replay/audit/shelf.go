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

// shelf is one observed file at the end of an episode, with a matcher of the items of the compaction.
type shelf struct {
	path    string
	seq     uint64
	stock   bool // it holds lasting knowledge
	matcher *match.Matcher
	loaded  *match.Matcher // of the part that the agent's client gives to its model by itself; nil for none
}

func newShelves(files map[string]observation, agent string, items []Item, v *match.Vocabulary) (all []shelf) {
	var asked []match.Item
	for _, it := range items {
		asked = append(asked, match.Words(it.Text, it.Text))
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if f := files[path]; !f.Gone && len(asked) > 0 {
			text := textOf(f.FileObserved)
			s := shelf{path: path, seq: f.seq, stock: f.Kind == events.StockFile, matcher: match.New(text, 0, len(text), asked, nil, v)}
			if f.Loaded > 0 && f.agent == agent {
				lines := strings.SplitAfterN(text, "\n", f.Loaded+1)
				part := strings.Join(lines[:min(len(lines), f.Loaded)], "")
				s.loaded = match.New(part, 0, len(part), asked, nil, v)
			}
			all = append(all, s)
		}
	}
	return all
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
	for _, f := range a.shelves {
		if a.vocabulary.Count(it.Text) >= minShelved && f.matcher.Holds(i) != nil {
			return Evidence{Seq: f.seq, Path: f.path, Why: "the newest observation of the file held it word for word"}, true
		}
	}
	return Evidence{}, false
}

// loaded reports whether the part of a file that the client gives to its model by itself held an item.
func (a answers) loaded(i int, it *Item) (Evidence, bool) {
	for _, f := range a.shelves {
		if f.loaded != nil && a.vocabulary.Count(it.Text) >= minShelved && f.loaded.Holds(i) != nil {
			return Evidence{Seq: f.seq, Path: f.path, Why: "the client gives this file to its model by itself"}, true
		}
	}
	return Evidence{}, false
}

// promotable reports whether a compound can promote an item.
func promotable(k *knowledge.Item) bool { return k.Entry != nil && !k.Entry.Plan }

// promoted looks for evidence that an entry was promoted: a compound named it, or lasting knowledge holds it.
func (a answers) promoted(i int, it *Item) (Evidence, bool) {
	if !promotable(it.source) {
		return Evidence{}, false
	}
	if seq := a.named[it.source.Entry.ID]; seq != 0 {
		return Evidence{Seq: seq, Why: "a compound named it among what it promoted"}, true
	}
	for _, f := range a.shelves {
		if !f.stock || a.vocabulary.Count(it.Text) < minShelved {
			continue
		}
		if answer, at := f.matcher.Find(i); answer == match.Found {
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
	if f.Kind == events.MemoryFile {
		b.WriteString(f.Text)
	}
	return b.String()
}
