package redact

import "strings"

// Credentials in the headers of requests.
var _ = declare([]Rule{
	naming("authorization-header", "authorization", assigned, "the credentials in an Authorization header", "authorization"),
	{Name: "bearer", Kind: "bearer", Finds: "a bearer token", Keywords: []string{"bearer ", "bearer, ", "bearer\""}, Fold: true, apart: word, generic: true, pattern: `\w+"?,? +["'{]?([A-Za-z0-9._~+/=-]{8,})`, check: bearer},
	// Claims are long; what does not end within the window is not a token.
	{Name: "jwt", Kind: "jwt", Finds: "a JSON web token: signed, of three parts of which two are objects in base64, or encrypted, of five", Keywords: []string{"eyJ"}, apart: word, pattern: `eyJ[\w-]{7,}\.(?:eyJ[\w-]{7,}\.[\w-]{10,}|[\w-]*(?:\.[\w-]{10,}){3})`, window: 16 << 10},
})

// bearer reports whether v is what a bearer shows.
func bearer(v string) bool { return len(v) >= leastRandom && random(v) || chance(v) || chosenWord(v) }

// credentials finds what stands behind the scheme of a header, or the whole value when it has none.
func (n site) credentials() (from, to int) {
	s, below := n.text, false
	n.value, below = nextLine(s, n.value)
	n.value += constructor(s[n.value:])
	q, width := opening(s[n.value:])
	from = n.value + width
	scheme := schemeLen(s[from:])
	from += scheme
	if next, torn := nextLine(s, from); torn {
		from, below = next, true
	}
	switch {
	case q.close != "":
		to = from + q.value(s[from:])
	case n.whole():
		to = n.valueEnd(from)
	default:
		to = n.wordEnd(from)
	}
	v := strings.TrimRight(s[from:to], ",;")
	if coded(v) || below && (scheme == 0 || strings.ContainsAny(v, " \t")) || scheme > 0 && !header(v) || scheme == 0 && !credentials(v) {
		return -1, -1
	}
	return from, to
}

// header reports whether what stands behind a scheme is more than a word.
func header(v string) bool {
	return len(v) >= shortestKey && fields(v) == 1 && !harmless(v) && (len(v) >= longWord || !letters.only(v))
}

// credentials reports whether the value of an Authorization header without a scheme is more than a word about it.
func credentials(v string) bool {
	return len(v) >= shortestKey && fields(v) == 1 && !harmless(v) && (digit.in(v) > 0 || upper.in(v) > 0 && lower.in(v) > 0 && len(v) >= longWord) && !codeName(v)
}
