package knowledge

import (
	"journal/events"
	"journal/projections"
)

// Prompt is the newest wish of the person.
const Prompt Kind = "prompt"

// promptAudit is of the newest request and of the earlier ones.
var promptAudit = Audit{
	Match: ByWords, Place: 40, Worth: 7, Title: "Prompts",
	Subject: subject(func(e events.PromptSubmitted) string { return e.Text }),
}

var _ = declare(Def{
	Kind: Prompt, Needs: []projections.Projection{projections.Prompts}, Items: prompts,
	Text:  Text{Place: 10, Turn: 10, Form: Quote, Units: 500, Tiers: Tiers{Best: Vital, First: 1}, Summary: true},
	Audit: promptAudit,
})

// prompts takes the newest request, then the earlier ones, the newest first. Words
// that were said again, such as "go on", count where they were said last. The very
// first ones often say what all of it is for.
func prompts(f *projections.Fold) []Item {
	all := projections.Prompts.In(f)
	items := make([]Item, 0, all.Len())
	at := map[string]int{} // text → index in items
	left := all.Len()
	for p := range all.Backward() {
		left--
		i, again := at[p.Text]
		if !again {
			i = len(items)
			at[p.Text] = i
			items = append(items, Item{Kind: Earlier, Seq: p.Seq, Text: p.Text})
		}
		items[i].Times++
		if left == 0 && (!again || i >= maxPrompts) {
			items[i].Tier = Likely
		}
	}
	if len(items) > 0 {
		items[0].Kind, items[0].Tier = Prompt, 0
	}
	return items
}
