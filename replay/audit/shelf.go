package audit

import (
	"cmp"
	"slices"
	"strings"

	"journal/projections"
	"journal/replay/audit/match"
)

// minShelved is the fewest tokens of a text that is recognised in a file. "go on" is everywhere.
const minShelved = 3

// holds reports whether the newest observation of a file held an item (ADR-0007 rule 7). Entries of working notes are known
// from their file's observations, everything else is compared word for word.
func (s shelf) holds(it Item, flow projections.FlowState) (Evidence, bool) {
	if it.source.Entry != nil && it.source.Entry.File != "" {
		for _, e := range flow.Entries {
			if e.ID == it.source.Entry.ID && e.DroppedSeq == 0 {
				for _, f := range s.files {
					if f.path == e.File {
						return Evidence{Seq: f.seq, Path: f.path, Why: "the newest observation of the file held it"}, true
					}
				}
			}
		}
		return Evidence{}, false
	}
	if len(s.files) == 0 {
		return Evidence{}, false
	}
	what, n := s.vocabulary.Forms(it.Text)
	if n < minShelved {
		return Evidence{}, false
	}
	for _, f := range s.files {
		if strings.Contains(f.text, what) {
			return Evidence{Seq: f.seq, Path: f.path, Why: "the newest observation of the file held it word for word"}, true
		}
	}
	return Evidence{}, false
}

// shelf has the tokens of the observed files at the end of an episode.
type shelf struct {
	files      []document // by path
	vocabulary *match.Vocabulary
}

type document struct {
	path string
	seq  uint64
	text string // its normalised words, each between spaces
}

func newShelf(files map[string]observation, v *match.Vocabulary) shelf {
	s := shelf{vocabulary: v}
	for path, f := range files {
		if f.Gone {
			continue
		}
		forms, _ := v.Forms(textOf(f.FileObserved))
		s.files = append(s.files, document{path, f.seq, forms})
	}
	slices.SortFunc(s.files, func(a, b document) int { return cmp.Compare(a.path, b.path) })
	return s
}
