package text

import "strings"

// Visible shows the characters of a foreign text that a reader would not see and that change
// what is seen: control characters, as of escape sequences of terminals, by their pictures;
// those that turn the direction of writing, by a mark; those without any form, by a dot.
// Line breaks and tabs stay.
func Visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !hidden(r):
			return r
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		case r < 0xa0, r >= 0xe0000:
			return '·'
		}
		return '⇄'
	}, s)
}

// hidden says whether a character is one of these. A right-to-left mark or a joiner is none:
// texts of people need them.
func hidden(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 ||
		0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 ||
		0xe0000 <= r && r <= 0xe007f
}
