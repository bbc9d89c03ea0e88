package redact

import (
	"strings"
)

// Some secrets show only in a text without some of its parts: without what nobody sees, without the line breaks that tear a token,
// without the numbers of lines. What is found there is taken back to the places of the text.

// without returns the secrets of s that show only without some of its parts. The function gives the width of such a part at a
// place, or 0.
func without(s string, part func(s string, i int) int) []span {
	var b strings.Builder
	at := make([]int, 0, len(s)) // of each byte of b its place in s
	for i := 0; i < len(s); {
		if n := part(s, i); n > 0 {
			i += n
			continue
		}
		b.WriteByte(s[i])
		at = append(at, i)
		i++
	}
	found, _, _ := scan(b.String())
	if i := documentAt(b.String()); i >= 0 {
		found = append(found, structured(b.String()[i:], i)...)
	}
	for i, f := range found {
		found[i].from, found[i].to = at[f.from], at[f.to-1]+1
	}
	return found
}

// tokens are the bytes of tokens.
const tokens = base64 | word | dot

// breakAt returns the width of a line break within a token, with what a language or a terminal writes around it: a backslash,
// the indent of the next line, the quotes and the plus sign between two literals.
func breakAt(s string, i int) int {
	const longestBreak = 48
	if i == 0 || !tokens.has(s[i-1]) || strings.IndexByte("\\\r\n\"' ", s[i]) < 0 {
		return 0
	}
	n := leading(clip(s[i:], longestBreak), "\\\r\n\t\"' +")
	between := s[i : i+n]
	if strings.IndexByte(between, '\n') < 0 && (strings.IndexByte(between, '+') < 0 || strings.Count(between, string(s[i])) < 2) || strings.Count(between, "\n") > 1 {
		return 0
	}
	const least = 6
	next := s[i+n:]
	run := tokens.run(next)
	if run < least || run < len(next) && strings.IndexByte("\r\n\"'\\,;) ", next[run]) < 0 || next[:min(run, 3)] == "---" || !odd(next[:run]) {
		return 0
	}
	return n
}

// odd reports whether what follows a break is no word.
func odd(v string) bool {
	return digit.in(v) > 0 && (len(v) >= leastRandom || digit.in(v) > 1 || upper.in(v) > 0) || strange(v) || tangled(v)
}

// tornBehind reports whether a token that goes on at i ends with its line, or with its literal, and something like it follows.
func tornBehind(s string, i int) bool {
	i += tokens.run(clip(s[i:], usualWindow))
	return i < len(s) && breakAt(s, i) > 0
}

// breaks reports whether there is a break in a secret.
func breaks(s string) bool { return strings.ContainsAny(s, "\n\"'") }

// numbered reports whether lines of s have numbers before them, as tools show files: two of the first, one after the other.
func numbered(s string) bool {
	const far, most = 2 << 10, 12
	head := clip(s, far)
	before := false
	for i, n := 0, 0; n < most; n++ {
		now := numberAt(head, i) > 0
		if now && before {
			return true
		}
		before = now
		next := strings.IndexByte(head[i:], '\n') + 1
		if next == 0 {
			return false
		}
		i += next
	}
	return false
}

// numberAt returns the width of the number of a line that begins at i.
func numberAt(s string, i int) int {
	if i > 0 && s[i-1] != '\n' {
		return 0
	}
	const most = 12
	line := clip(s[i:], most)
	n := gap.run(line)
	if d := digit.run(line[n:]); d > 0 {
		n += d
		for _, end := range [...]string{"\u2192", "\t", "|", ": ", ":"} {
			if strings.HasPrefix(s[i+n:], end) {
				return n + len(end)
			}
		}
	}
	return 0
}
