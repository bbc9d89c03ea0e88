package redact

import "strings"

// random reports whether a token looks made by a machine: it has a digit, and besides a capital or two more digits. Names
// joined by hyphens do not.
func random(secret string) bool {
	d := digit.in(secret)
	return genuine(secret) && d > 0 && (d > 2 || upper.in(secret) > 0)
}

// genuine reports whether a secret of unmistakable shape is more than the example of one. Dots at its end belong to the text
// around it.
func genuine(secret string) bool { return !filler(strings.TrimRight(secret, ".")) }
