package knowledge

// Answer is what the person chose or wrote when the agent asked, with the question.
// Nobody can know a decision better. Its items come with those of Decision.
const Answer Kind = "answer"

var _ = declare(Def{
	Kind: Answer, As: Decision,
	Text:  Text{Place: 66, Turn: 55, Form: Reply, Units: 300, Grow: 3, Tiers: Tiers{Best: Vital, First: 4, Second: 40}},
	Audit: decisionAudit,
})
