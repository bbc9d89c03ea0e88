package redact

// Credentials in the headers of requests.
var headers = [...]Rule{
	{
		Name: "authorization-header", Kind: "authorization", Finds: "the credentials in an Authorization header",
		Keywords: []string{"authorization"}, Fold: true, generic: true,
		pattern: "[A-Za-z]+[\"'\\\\`]*\\s*[:=]\\s*[\"'\\\\`]*" + `(?:(?i:bearer|basic|token|digest|apikey|api-key|key|negotiate|bot)\s+)?([^\s"'\\,;<>(){}$]{8,})`,
		check:   credentials,
	},
	{
		Name: "bearer", Kind: "bearer", Finds: "a bearer token",
		Keywords: []string{"bearer "}, Fold: true, apart: word, generic: true,
		pattern: `\w+ +([A-Za-z0-9._~+/=-]{16,})`, check: random,
	},
}

var _ = declare(headers[:])

// credentials reports whether the value of an Authorization header is more than a word about it.
func credentials(v string) bool {
	return !filler(v) && (digit.in(v) > 0 || upper.in(v) > 0 && lower.in(v) > 0 && len(v) >= 12) && !reference(v) && !codeName(v)
}
