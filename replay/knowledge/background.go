package knowledge

// Background is a command that was started and went on behind its call, and whose end
// nothing told: it neither worked nor failed. Its items come with those of Command.
const Background Kind = "background"

var _ = declare(Def{
	Kind: Background,
	Text: Text{Place: 95, Turn: 78, Form: Code, Units: 200, Grow: 8, Most: 12, Tiers: Tiers{Best: Likely, First: 12}},
})
