package knowledge

// Earlier is an earlier wish of the person. Its items come with those of Prompt.
const Earlier Kind = "earlier"

// maxPrompts bounds the requests of a recovery text, the first one of all apart.
const maxPrompts = 30

var _ = declare(Def{
	Kind: Earlier, As: Prompt,
	Text: Text{
		Place: 110, Turn: 10, Form: Saying, Units: 200, Most: maxPrompts - 1,
		Tiers: Tiers{Best: Useful, First: 3}, Summary: true,
	},
	Audit: promptAudit,
})
