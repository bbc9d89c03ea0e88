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

// random reports whether a token looks made by a machine: it has a digit, and besides a capital or two more digits. Names
// joined by hyphens do not.
func random(secret string) bool {
	d := digit.in(secret)
	return genuine(secret) && d > 0 && (d > 2 || upper.in(secret) > 0)
}

// genuine reports whether a secret of unmistakable shape is more than the example of one. Dots at its end belong to the text
// around it.
func genuine(secret string) bool { return !filler(strings.TrimRight(secret, ".")) }
