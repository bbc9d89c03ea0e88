package knowledge

import (
	"journal/events"
	"journal/projections"
)

// File is a file that was written or edited: its full path.
const File Kind = "file"

var _ = declare(Def{
	Kind: File, Needs: []projections.Projection{projections.Files}, Items: files,
	Text:  Text{Place: 80, Turn: 70, Form: Line, Units: 400, Grow: 8, Tiers: Tiers{Best: Vital, First: 6, Second: 60}},
	Audit: Audit{Match: ByPath, Place: 50, Worth: keep(90, "files that were written"), Title: "Files", Subject: subject(func(e events.FileWritten) string { return e.Path })},
})

// files takes those that were written and those that were only read, the newest
// first.
func files(f *projections.Fold) []Item {
	var items []Item
	for f := range projections.Files.In(f).All() {
		item := Item{Kind: File, Seq: f.LastSeq, Text: f.Path, State: f.Op, Times: f.Count}
		if f.Op == "read" {
			item.Kind = Read
		}
		items = append(items, item)
	}
	return items
}
