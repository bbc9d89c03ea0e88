package knowledge

import (
	"strings"

	"journal/projections"
)

// Note is the kind of the entries of the working notes.
const Note Kind = "flow"

var _ = declare(Def{
	Kind: Note, Needs: []projections.Projection{projections.LastCompact}, Items: notes,
	Text: Text{
		Form: Entry, Units: 200, Most: 30, // the rest is in their file, or listed by `journal restore`
		Tiers: Tiers{Best: Likely, First: 3, Second: 7},
	},
	Audit: Audit{Match: ByWords, Worth: worthKeeping(85, "working notes"), Title: "Working notes"},
})

// notes lists all entries, newest first. Texts leave out promoted ones and those of plans. They also leave out entries
// that vanished from their file before the newest compaction began: earlier texts offered those.
func notes(f *projections.Fold) []Item {
	compact := projections.LastCompact.In(f)
	items := make([]Item, 0, len(compact.Flow.Entries))
	for _, e := range compact.Flow.Entries {
		item := Item{
			Kind: Note, Seq: e.Seq, Part: e.Part, Text: e.Heading, Detail: strings.TrimSpace(e.Text),
			Gone: e.DroppedSeq != 0, Entry: &e,
		}
		if item.Text == "" {
			item.Text, item.Detail = item.Detail, ""
		}
		if e.Promoted || e.Plan || e.DroppedSeq != 0 && e.DroppedSeq < compact.Since {
			item.Tier = Unlisted
		}
		items = append(items, item)
	}
	return items
}
