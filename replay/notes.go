package replay

import (
	"strings"

	"journal/projections"
)

// maxNotes bounds how many working notes a recovery holds; the rest is in their
// file, or listed by `journal restore`.
const maxNotes = 30

// maxHeading bounds a heading in the line about notes, in UTF-16 units.
const maxHeading = 120

// notesOf tells what the newest compaction met. What ran after it is another
// matter: then there is nothing to be said about it any more.
func notesOf(c projections.LastCompactState) Notes {
	if c.Count == 0 || !c.CompoundDone && c.Flow.Compound.Seq > c.Seq {
		return Notes{}
	}
	n := Notes{Promoted: c.CompoundDone, Waiting: c.Unpromoted}
	for _, h := range c.Headings {
		n.Headings = append(n.Headings, bounded(h, maxHeading))
	}
	return n
}

// entries takes the notes that were not promoted: those that stand in a file, and
// those that vanished in this compaction or since. Those that vanished before it
// were given back then.
func entries(c projections.LastCompactState) []Item {
	var items []Item
	for _, e := range c.Flow.Waiting() {
		if e.DroppedSeq != 0 && e.DroppedSeq < c.Since {
			continue
		}
		item := Item{
			Kind: Note, Seq: e.Seq, Part: e.Part, Text: e.Heading, Detail: strings.TrimSpace(e.Text),
			Gone: e.DroppedSeq != 0, tier: tier(len(items), 3, 7, likely),
		}
		if item.Text == "" {
			item.Text, item.Detail = item.Detail, ""
		}
		if items = append(items, item); len(items) == maxNotes {
			break
		}
	}
	return items
}
