package knowledge

// First is the person's very first wish: it often says what all of it is for. Its
// items come with those of Prompt.
const First Kind = "first"

var _ = declare(Def{
	Kind: First, As: Prompt,
	Text: Text{
		Place: 105, Turn: 9, Form: Quote, Units: 300, Reserve: 2200, Grow: 2, Tiers: Tiers{Best: Likely, First: 1}, Summary: true,
	},
	Audit: promptAudit,
})
