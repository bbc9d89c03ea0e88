package audit

import (
	"maps"
	"slices"
	"strings"

	"journal/events"
	"journal/replay/audit/match"
	"journal/replay/knowledge"
)

// minFileWords is the fewest words of a text that is recognised in a file. Shorter texts, such as "go on", are everywhere.
const minFileWords = 3

// fileMatcher finds the items of a compaction in an observed file, as it was before the next compaction.
type fileMatcher struct {
	path   string
	seq    uint64         // of the observation
	stock  bool           // the file has learnings
	whole  *match.Matcher // of its text
	loaded *match.Matcher // of the part that the agent's client loads into its context by itself; nil for none
}

// newFileMatchers returns the matchers of the files that exist, sorted by path. agent is the agent whose context was compacted.
func newFileMatchers(files map[string]observation, agent string, items []Item, v *match.Vocabulary) (all []fileMatcher) {
	var wanted []match.Item
	for _, it := range items {
		wanted = append(wanted, match.Words(it.Text, it.Text))
	}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		if f := files[path]; !f.Gone && len(wanted) > 0 {
			text := textOf(f.FileObserved)
			m := fileMatcher{path: path, seq: f.seq, stock: f.Kind == events.StockFile, whole: match.New(text, 0, len(text), wanted, nil, v)}
			if f.Loaded > 0 && f.agent == agent {
				lines := strings.SplitAfterN(text, "\n", f.Loaded+1)
				part := strings.Join(lines[:min(len(lines), f.Loaded)], "")
				m.loaded = match.New(part, 0, len(part), wanted, nil, v)
			}
			all = append(all, m)
		}
	}
	return all
}

// inFile reports whether the newest observation of a file has an item (ADR-0007 rule 7). An entry of working notes is found by its
// id in the fold Flow, any other item by its exact words.
func (v verdicts) inFile(i int, it *Item) (Evidence, bool) {
	if entry := it.source.Entry; entry != nil && entry.File != "" {
		for _, e := range v.flow.Entries {
			if f, observed := v.files[e.File]; e.ID == entry.ID && e.DroppedSeq == 0 && observed && !f.Gone {
				return Evidence{Seq: f.seq, Path: e.File, Why: "the newest observation of the file held it"}, true
			}
		}
		return Evidence{}, false
	}
	for _, f := range v.fileMatchers {
		if v.vocabulary.Count(it.Text) >= minFileWords && f.whole.Holds(i) {
			return Evidence{Seq: f.seq, Path: f.path, Why: "the newest observation of the file held it word for word"}, true
		}
	}
	return Evidence{}, false
}

// loaded reports whether the part of a file that the client loads into its context by itself has an item.
func (v verdicts) loaded(i int, it *Item) (Evidence, bool) {
	for _, f := range v.fileMatchers {
		if f.loaded != nil && v.vocabulary.Count(it.Text) >= minFileWords && f.loaded.Holds(i) {
			return Evidence{Seq: f.seq, Path: f.path, Why: "the client gives this file to its model by itself"}, true
		}
	}
	return Evidence{}, false
}

// promotable reports whether a compound can promote an item.
func promotable(k *knowledge.Item) bool { return k.Entry != nil && !k.Entry.Plan }

// promoted reports whether an entry was promoted: a compound named it, or the learnings have it.
func (v verdicts) promoted(i int, it *Item) (Evidence, bool) {
	if !promotable(it.source) {
		return Evidence{}, false
	}
	if seq := v.named[it.source.Entry.ID]; seq != 0 {
		return Evidence{Seq: seq, Why: "a compound named it among what it promoted"}, true
	}
	for _, f := range v.fileMatchers {
		if !f.stock || v.vocabulary.Count(it.Text) < minFileWords {
			continue
		}
		if verdict, at := f.whole.Find(i); verdict == match.Found {
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
