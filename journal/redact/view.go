package redact

import (
	"strings"
	"unicode/utf8"
)

// This file decides in which other views a text is looked at.

// Some secrets show only in a text that is read as who wrote it did: without what nobody sees and without what tools write
// before lines, and with what a string of JSON escapes. What is found there is taken back to the places of the text.

// part returns the replacement of s[i:i+n] in a view: nothing, or one byte. Where n is 0 the view has the byte of the text.
type part func(s string, i int) (n int, put string)

// through returns what find finds in the text as the parts leave it.
func (p part) through(s string, find func(view string) []span) []span {
	var b strings.Builder
	at := make([]int, 0, len(s)) // of each byte of the view its place in s
	for i := 0; i < len(s); {
		n, put := p(s, i)
		if n == 0 {
			n, put = 1, s[i:i+1]
		}
		if put != "" {
			b.WriteString(put)
			at = append(at, i)
		}
		i += n
	}
	found := find(b.String())
	for i, f := range found {
		last := at[f.to-1]
		n, _ := p(s, last)
		found[i].from, found[i].to = at[f.from], last+max(n, 1)
	}
	return found
}

// without returns the part that leaves out what has a width at a place.
func without(width func(s string, i int) int) part {
	return func(s string, i int) (int, string) { return width(s, i), "" }
}

// plainly is scan without a look at other views.
func plainly(s string) []span {
	found, _ := scan(s)
	return found
}

// spelling returns the part that replaces the first of each two words by the second.
func spelling(pairs ...string) part {
	return func(s string, i int) (n int, put string) {
		for j := 0; j < len(pairs); j += 2 {
			if strings.HasPrefix(s[i:], pairs[j]) {
				return len(pairs[j]), pairs[j+1]
			}
		}
		return 0, ""
	}
}

// unlisted is the part that has a blank in the place of what parts the arguments of a command in a list.
var unlisted = spelling(`", "`, " ", `","`, " ", "', '", " ")

// undrawn is the part that has a plain sign in the place of a line of a drawn table.
func undrawn(s string, i int) (n int, put string) {
	switch r, n := utf8.DecodeRuneInString(s[i:]); {
	case strings.ContainsRune("│┃║┆┊▏▕｜╎¦", r):
		return n, "|"
	case strings.ContainsRune("─━═┄┈╌", r):
		return n, "-"
	case r >= '┌' && r <= '╿':
		return n, "+"
	}
	return 0, ""
}

// escapes reports whether s begins as JSON and has lines or quotes in one of its strings.
func escapes(s string) bool {
	document := prefixOf(s, "{", "[") > 0 && contains(s, `\n`, `\"`)
	return document && prefixOf(strings.TrimLeft(clip(s[1:], longestBlank), " \t\r\n"), `"`, `\`, "{", "[") > 0
}

// unescape is the part that decodes the escape of JSON at a place. Where a string begins and ends a line does.
var unescape = spelling(`"`, "\n", `\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`)

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

// These lead to texts that are looked at again in another view: without characters that nobody sees, which may split a secret,
// and with the frames of tables as plain signs.

func nothing(string, int, int) (from, to int) { return -1, -1 }

// softHyphen has fewer bytes than a keyword.
const softHyphen = "\u00ad"

// unseen reports whether a character has no width.
func unseen(r rune) bool {
	return r >= 0xad && (strings.ContainsRune("\u00ad\u034f\u180e\ufeff", r) || r >= 0x2060 && r <= 0x2064 || r >= 0x200b && r <= 0x200f)
}

// anyWide reports whether s has bytes that are not ASCII.
func anyWide(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf })
}

// visible returns s without the characters that have no width.
func visible(s string) string {
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, s)
}

// unseenAt returns the width of a character without a width, or of a sequence that colours what a terminal shows.
func unseenAt(s string, i int) int {
	if strings.HasPrefix(s[i:], "\x1b[") {
		return min(len(s)-i, 3+strings.IndexFunc(clip(s[i+2:], longestBlank), func(r rune) bool { return r >= '@' }))
	}
	if s[i] < utf8.RuneSelf {
		return prefixOf(s[i:], "\r\n") / len("\r\n") // the first of the two
	}
	if r, n := utf8.DecodeRuneInString(s[i:]); unseen(r) {
		return n
	}
	return 0
}
