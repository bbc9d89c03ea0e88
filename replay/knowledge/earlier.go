package knowledge

// Earlier is an earlier wish of the person. Its items come with those of Prompt.
const Earlier Kind = "earlier"

var earlier = declare(Def{
	Kind: Earlier, As: Prompt,
	Text: Text{
		Place: 110, Turn: 10, Form: Saying, Units: 150, Whole: 300, Grow: 4, Newest: true, Summary: true,
		Tiers: Tiers{Best: Likely, First: 3, Second: 200},
	},
	Audit: promptAudit,
})
