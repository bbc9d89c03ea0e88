package knowledge

import (
	"journal/events"
	"journal/projections"
)

// Command is a command that ran. Nothing shows that it failed.
const Command Kind = "command"

func commandOf(e events.CommandRan) string { return e.Command }

var _ = declare(Def{
	Kind: Command, Needs: []projections.Projection{projections.Commands}, Items: commands,
	Text: Text{
		Place: 100, Turn: 85, Form: Code, Units: 200, Grow: 9, Most: 12, Tiers: Tiers{Best: Useful, First: 4, Second: 8}, Summary: true,
	},
	Audit: Audit{Match: ByCommand, Place: 60, Worth: routine("commands that worked"), Title: "Commands run", Subject: subject(commandOf)},
})

// commands takes each command once, where it ran last, the newest first. A command that failed
// and works now is a command that works. One that still runs in the background says nothing about
// its earlier runs. A failure counts the times since the command worked.
func commands(f *projections.Fold) []Item {
	var items []Item
	at := map[string]int{}    // command → index in items
	over := map[string]bool{} // commands whose older runs say nothing any more
	running := map[string]bool{}
	failed := 0
	for c := range projections.Commands.In(f).Backward() {
		if over[c.Command] {
			continue
		}
		if c.Running() {
			if !running[c.Command] {
				items = append(items, Item{Kind: Background, Seq: c.Seq, Text: c.Command})
			}
			running[c.Command] = true
			continue
		}
		over[c.Command] = c.OK
		i, again := at[c.Command]
		switch {
		case again && !c.OK:
			items[i].Times++
		case again:
		case c.OK:
			items = append(items, Item{Kind: Command, Seq: c.Seq, Text: c.Command})
		default:
			at[c.Command] = len(items)
			item := Item{Kind: Failure, Seq: c.Seq, Text: c.Command, Detail: c.Error, Times: 1}
			if failed++; failed > failure.Text.Tiers.First && c.Hidden {
				item.Tier = Spare // often a part of it worked
			}
			items = append(items, item)
		}
	}
	return items
}

// Background is a command that was started and went on behind its call, and whose end
// nothing told: it neither worked nor failed. Its items come with those of Command.
const Background Kind = "background"

var _ = declare(Def{
	Kind: Background,
	Text: Text{Place: 95, Turn: 78, Form: Code, Units: 200, Grow: 8, Most: 12, Tiers: Tiers{Best: Likely, First: 12}},
})

// Failure is a command that failed, and how. Its items come with those of Command.
const Failure Kind = "error"

var failure = declare(Def{
	Kind:  Failure,
	Text:  Text{Place: 90, Turn: 80, Form: Code, Units: 200, Detail: 60, Grow: 7, Most: 20, Tiers: Tiers{Best: Vital, First: 2, Second: 8}},
	Audit: Audit{Match: ByFailure, Place: 70, Rate: rateFailure, Title: "Commands that failed", Subject: subject(commandOf)},
})
