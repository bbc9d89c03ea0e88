package redact

var natsRules = [...]Rule{{
	Name: "nats-seed", Kind: "nats-seed", Finds: "the seed of a NATS user, account, operator or curve key",
	Keywords: []string{"SUA", "SAA", "SOA", "SXA"}, apart: word, body: upper | base32Digit, least: 55, check: random,
}}

var _ = declare(natsRules[:])
