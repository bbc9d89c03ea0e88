package knowledge

import (
	"slices"
	"strings"

	"journal/projections"
)

// Refusal is a tool call that the person refused, and what they said about it.
const Refusal Kind = "refusal"

var _ = declare(Def{
	Kind: Refusal, Needs: []projections.Projection{projections.Refusals}, Items: refusals,
	Text:  Text{Place: 72, Turn: 56, Form: Reply, Units: 300, Grow: 3, Tiers: Tiers{Best: Likely, First: 30}},
	Audit: Audit{Match: ByWords, Place: 12, Rate: rateRefusal, Title: "Refused tool calls"},
})

var (
	refused = keep(65, "tool calls that the person refused, and why")
	put     = routine("tool calls that the person put off, or asked about")
)

// putOff words at the beginning, and laterOn words anywhere, want the same call later.
var (
	putOff  = strings.Fields("wait hang hold 잠깐 잠시 待って ちょっと")
	laterOn = []string{" first ", " later ", " not yet ", "먼저", "나중에", "先に", "後で"}
)

func rateRefusal(*projections.Fold) func(Item) Worth {
	return func(i Item) Worth {
		switch {
		case isReply(i.Text):
			return replies
		case i.Told:
			return old
		case isQuestion(i.Text), says(i.Text, laterOn), slices.ContainsFunc(putOff, func(w string) bool { return strings.HasPrefix(strings.ToLower(i.Text), w) }):
			return put
		}
		return refused
	}
}

// Refused is a tool call that the person refused without a word. Its items come with those of Refusal.
const Refused Kind = "refused"

var _ = declare(Def{
	Kind: Refused,
	Text: Text{Place: 74, Turn: 96, Form: Code, Units: maxCall, Cap: maxCall, Most: 10, Tiers: Tiers{Best: Useful, First: 3, Second: 7}, Summary: true},
})

// refusals lists the newest first, and a call that was refused repeatedly once.
func refusals(f *projections.Fold) []Item {
	var items []Item
	at := map[string]bool{}
	for r := range projections.Refusals.In(f).Backward() {
		call := strings.TrimSpace(r.Tool + " " + r.Target)
		switch {
		case r.Words != "":
			items = append(items, Item{Kind: Refusal, Seq: r.Seq, Text: r.Words, Detail: short(call, maxCall)})
		case !at[call]:
			items = append(items, Item{Kind: Refused, Seq: r.Seq, Text: call})
			at[call] = true
		}
	}
	return items
}

// maxCall bounds a refused call in a text, in UTF-16 units.
const maxCall = 120
