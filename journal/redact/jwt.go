package redact

var _ = declare([]Rule{{
	Name: "jwt", Kind: "jwt", Finds: "a JSON web token, signed or encrypted",
	Keywords: []string{"eyJ"}, apart: word, find: webToken,
	// Claims are long; what does not end within the window is not a token.
	window: 16 << 10,
}})

// webToken finds a signed token, whose first two of three parts are JSON objects in base64, or an encrypted one of five parts
// whose first is.
func webToken(s string, at, _ int) (int, int) {
	const least = 10
	parts, objects, i := 0, 0, at
	for {
		n := word.run(s[i:])
		if n >= least && clip(s[i:], 3) == "eyJ" {
			objects++
		}
		if n < least && !(parts == 1 && n == 0) {
			break
		}
		parts, i = parts+1, i+n
		if i == len(s) || s[i] != '.' || parts == 5 {
			break
		}
		i++
	}
	if parts >= 3 && objects >= 2 || parts == 5 {
		if s[i-1] == '.' {
			i--
		}
		return at, i
	}
	return -1, -1
}
