package knowledge

import (
	"journal/events"
	"journal/projections"
)

// Worked is a command that worked.
const Worked Kind = "command"

func commandSaid(e events.CommandRan) string { return e.Command }

var _ = declare(Def{
	Kind: Worked, Needs: []projections.Projection{projections.Commands}, Items: commands,
	Text: Text{
		Place: 100, Turn: 85, Form: Code, Units: 200, Most: 12, Tiers: Tiers{Best: Useful, First: 6, Second: 6}, Summary: true,
	},
	Audit: Audit{Match: Command, Place: 60, Worth: 8, Title: "Commands that worked", Said: said(commandSaid)},
})

// commands takes each command once, where it ran last, the newest first: what
// failed and works now is a command that works. Times of a failure are those since
// it worked.
func commands(f *projections.Fold) []Item {
	var items []Item
	at := map[string]int{}    // command → index in items
	over := map[string]bool{} // commands whose older runs say nothing any more
	for c := range projections.Commands.In(f).Backward() {
		if over[c.Command] {
			continue
		}
		over[c.Command] = c.OK
		i, again := at[c.Command]
		switch {
		case again && !c.OK:
			items[i].Times++
		case again:
		case c.OK:
			items = append(items, Item{Kind: Worked, Seq: c.Seq, Text: c.Command})
		default:
			at[c.Command] = len(items)
			items = append(items, Item{Kind: Failed, Seq: c.Seq, Text: c.Command, Detail: c.Error, Times: 1})
		}
	}
	return items
}
