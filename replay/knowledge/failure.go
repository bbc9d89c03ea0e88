package knowledge

// Failure is a command that failed, and how. Its items come with those of Command.
const Failure Kind = "error"

var failure = declare(Def{
	Kind:  Failure,
	Text:  Text{Place: 90, Turn: 80, Form: Code, Units: 200, Detail: 60, Grow: 7, Most: 20, Tiers: Tiers{Best: Vital, First: 2, Second: 8}},
	Audit: Audit{Match: ByFailure, Place: 70, Rate: rateFailure, Title: "Commands that failed", Subject: subject(commandOf)},
})
