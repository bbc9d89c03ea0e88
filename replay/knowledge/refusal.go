package knowledge

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"journal/projections"
)

// Refusal is a tool call that the person did not want, and what they said about it.
const Refusal Kind = "refusal"

var _ = declare(Def{
	Kind: Refusal, Needs: []projections.Projection{projections.Refusals}, Items: refusals,
	Text:  Text{Place: 72, Turn: 56, Form: Reply, Units: 300, Grow: 3, Tiers: Tiers{Best: Likely, First: 30}},
	Audit: Audit{Match: ByWords, Place: 12, Rate: rateRefusal, Title: "Refused tool calls"},
})

var (
	refused = keep(65, "tool calls that the person refused, and why")
	doubted = keep(84, "tool calls that the person refused with a question that objects to something")
	asked   = routine("tool calls that the person refused with a question that only asks")
)

func rateRefusal(*projections.Fold) func(Item) Worth {
	return func(i Item) Worth {
		switch {
		case isReply(i.Text):
			return replies
		case isQuestion(i.Text) && objects(i.Text):
			return doubted
		case isQuestion(i.Text):
			return asked
		}
		return refused
	}
}

// Refused counts the tool calls that the person refused without a word. Its item
// comes with those of Refusal.
const Refused Kind = "refused"

var _ = declare(Def{
	Kind: Refused,
	Text: Text{Place: 74, Turn: 96, Form: Line, Units: 200, Tiers: Tiers{Best: Spare}, Summary: true},
})

// refusals takes the newest first.
func refusals(f *projections.Fold) []Item {
	var items []Item
	silent := Item{Kind: Refused}
	count := map[string]int{} // of silent ones, by tool
	for r := range projections.Refusals.In(f).Backward() {
		if r.Words == "" {
			silent.Seq = max(silent.Seq, r.Seq)
			count[r.Tool]++
			continue
		}
		items = append(items, Item{Kind: Refusal, Seq: r.Seq, Text: r.Words, Detail: short(strings.TrimSpace(r.Tool+" "+r.Target), maxCall)})
	}
	var tools []string
	for _, tool := range slices.Sorted(maps.Keys(count)) {
		tools = append(tools, fmt.Sprintf("%d × %s", count[tool], tool))
	}
	if silent.Text = strings.Join(tools, ", "); silent.Text != "" {
		items = append(items, silent)
	}
	return items
}

// maxCall bounds what of a refused call stands beside the words, in UTF-16 units.
const maxCall = 120
