package knowledge

import "journal/projections"

// SubagentFile is a file that a subagent wrote and the main thread did not.
const SubagentFile Kind = "subagent-file"

var _ = declare(Def{
	Kind: SubagentFile, As: File, Needs: []projections.Projection{projections.SubagentFiles, projections.Files},
	Items: func(f *projections.Fold) []Item {
		own := map[string]bool{}
		for f := range projections.Files.In(f).All() {
			own[f.Path] = f.Op != "read"
		}
		var items []Item
		for f := range projections.SubagentFiles.In(f).All() {
			if !own[f.Path] {
				items = append(items, Item{Kind: SubagentFile, Seq: f.LastSeq, Text: f.Path, Detail: f.Lane, State: f.Op, Times: f.Count})
			}
		}
		return items
	},
	Text:  Text{Place: 84, Turn: 72, Form: Owned, Units: 400, Grow: 8, Tiers: Tiers{Best: Likely, First: 60}},
	Audit: Audit{Match: ByPath, Place: 52, Worth: keep(92, "files that a subagent wrote"), Title: "Files"},
})
