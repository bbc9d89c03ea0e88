package redact

import "strings"

// Some secrets show only in a text without some of its parts: without what nobody sees and without the
// numbers of lines. What is found there is taken back to the places of the text.

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
	found, _ := scan(b.String())
	for i, f := range found {
		found[i].from, found[i].to = at[f.from], at[f.to-1]+1
	}
	return found
}

// numberAt returns the width of the number of a line that begins at i.
func numberAt(s string, i int) int {
	const most = 12
	line := clip(s[i:], most)
	n := gap.run(line)
	d := digit.run(line[n:])
	if d == 0 || i > 0 && s[i-1] != '\n' {
		return 0
	}
	if end := prefixOf(s[i+n+d:], "\u2192", "\t", "|", ":"); end > 0 {
		return n + d + end
	}
	return 0
}
