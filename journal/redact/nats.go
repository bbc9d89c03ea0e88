package redact

var _ = declare(Rule{
	Name: "nats-seed", Kind: "nats-seed", Finds: "the seed of a NATS user, account, operator or curve key",
	Keywords: []string{"SUA", "SAA", "SOA", "SXA"}, apart: word, find: token(upper.and(setOf("234567")), 55), check: random,
})
