package knowledge

import (
	"slices"

	"journal/projections"
)

// TeamDecision is a decision of somebody else in the same repository, read from another log: no fold of
// this one knows of it, so whoever asks for a text hands it over, and no audit asks for it.
const TeamDecision Kind = "team-decision"

var _ = declare(Def{
	Kind: TeamDecision,
	Text: Text{Place: 71, Turn: 65, Form: Theirs, Units: 300, Grow: 4, Tiers: teamTiers},
})

// teamTiers put them after what this session has to know.
var teamTiers = Tiers{Best: Useful, First: 8}

// maxTheirs are the decisions of others that a text may list.
const maxTheirs = 30

// Colleague is one decision of somebody else.
type Colleague struct {
	Name string
	Seq  uint64 // in that log
	At   projections.Stamp
	Text string
}

// With adds decisions of others to items, most needed first. Among equals the order stays. A
// decision that is among the items in the same words is not added.
func With(items []Item, theirs []Colleague) []Item {
	all := slices.Clone(items)
	n := 0
	for _, t := range theirs {
		same := func(i Item) bool { return i.Kind == Decision && i.Text == t.Text }
		if n == maxTheirs || slices.ContainsFunc(items, same) {
			continue
		}
		d := TeamDecision.Def().Text
		all = append(all, Item{
			Kind: TeamDecision, Seq: t.Seq, Part: n + 1, At: t.At, Text: t.Name + ": " + t.Text, Foreign: true, Tier: d.tier(n),
		})
		n++
	}
	return Listed(all)
}
