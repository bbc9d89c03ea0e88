package redact

import "strings"

// token finds a secret that begins with its keyword, goes on with at least least bytes of the set, and ends where the set
// ends. There is no upper bound, and what follows does not matter: a token glued to other text is a token all the same.
func token(set charset, least int) func(s string, at, end int) (int, int) {
	return func(s string, at, end int) (int, int) {
		n := set.run(s[end:])
		if n < least {
			return -1, -1
		}
		return at, end + n
	}
}

// tail finds a secret that begins behind its keyword; otherwise it is as token.
func tail(set charset, least int) func(s string, at, end int) (int, int) {
	return func(s string, at, end int) (int, int) {
		n := set.run(s[end:])
		if n < least {
			return -1, -1
		}
		return end, end + n
	}
}

// assigned finds a secret of the set that is assigned to a name that ends with the keyword.
func assigned(set charset, least int) func(s string, at, end int) (int, int) {
	return func(s string, _, end int) (int, int) {
		i, ok := assignment{}.separator(s, end, name{})
		if !ok {
			return -1, -1
		}
		_, width := opening(s[i:])
		i += width
		n := set.run(s[i:])
		if n < least {
			return -1, -1
		}
		return i, i + n
	}
}

// random reports whether a token looks made by a machine: it has a digit, and besides a capital or two more digits. Names
// joined by hyphens do not.
func random(secret string) bool {
	d := digit.in(secret)
	return genuine(secret) && d > 0 && (d > 2 || upper.in(secret) > 0)
}

// genuine reports whether a secret of unmistakable shape is more than the example of one. Dots at its end belong to the text
// around it.
func genuine(secret string) bool { return !filler(strings.TrimRight(secret, ".")) }
