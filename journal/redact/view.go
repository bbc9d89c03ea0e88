package redact

import "strings"

// Some secrets show only in a text without some of its parts: without what nobody sees and without what
// tools write before lines. What is found there is taken back to the places of the text.

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

// led reports whether tools wrote something before the lines of s: numbers, marks of a diff or a quotation.
func led(s string) bool {
	next := strings.IndexByte(s, '\n') + 1
	return leadAt(s, 0) > 0 && !strings.HasPrefix(s, "- ") || next > 0 && leadAt(s, next) > 0 && !strings.HasPrefix(s[next:], "- ") || strings.Contains(s, "@@ -")
}

// leadAt returns the width of what a tool wrote before the line that begins at i.
func leadAt(s string, i int) int {
	const most = 12
	if i == len(s) || (lower | upper).has(s[i]) || i > 0 && s[i-1] != '\n' {
		return 0
	}
	line := clip(s[i:], most)
	n := gap.run(line)
	if d := digit.run(line[n:]); d > 0 {
		if end := prefixOf(s[i+n+d:], "\u2192", "\t", "|", ":"); end > 0 {
			return n + d + end
		}
	}
	if line[0] == '>' {
		return 1 + leading(clip(line[1:], 1), " ")
	}
	// A mark of a diff, which is not doubled.
	return min(leading(line[:1], "+-"), 1-leading(clip(line[1:], 1), line[:1]))
}
