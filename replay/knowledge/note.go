package knowledge

import (
	"strings"

	"journal/projections"
)

// Note is an entry of the working notes. A text lists those that were not promoted.
const Note Kind = "flow"

var _ = declare(Def{
	Kind: Note, Needs: []projections.Projection{projections.LastCompact}, Items: notes,
	Text: Text{
		Form: Entry, Units: 200, Most: 30, // the rest is in their file, or listed by `journal restore`
		Tiers: Tiers{Best: Likely, First: 3, Second: 7},
	},
	Audit: Audit{Match: ByWords, Worth: worthKeeping(85, "working notes"), Title: "Working notes"},
})

// notes lists all entries, newest first. A text gets those that wait for a promotion: entries that are in a file, and
// those that vanished in this compaction or since. Earlier texts offered notes that vanished before.
func notes(f *projections.Fold) []Item {
	c := projections.LastCompact.In(f)
	items := make([]Item, 0, len(c.Flow.Entries))
	for _, e := range c.Flow.Entries {
		item := Item{
			Kind: Note, Seq: e.Seq, Part: e.Part, Text: e.Heading, Detail: strings.TrimSpace(e.Text),
			Gone: e.DroppedSeq != 0, Entry: &e,
		}
		if item.Text == "" {
			item.Text, item.Detail = item.Detail, ""
		}
		if e.Promoted || e.Plan || e.DroppedSeq != 0 && e.DroppedSeq < c.Since {
			item.Tier = Unlisted
		}
		items = append(items, item)
	}
	return items
}
