package text

import (
	"strings"
	"unicode"
)

// Printable takes from a foreign text what steers a terminal, changes the order of what
// stands beside it, or cannot be seen: each such character is a dot. Line breaks and tabs
// stay, and so do the joiners within words and emoji.
func Printable(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || ' ' <= r && r < 0x7f || !steers(r) {
			return r
		}
		return '·'
	}, s)
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// steers says whether a character has no shape of its own: controls, marks of direction,
// separators of lines, and what nobody sees.
func steers(r rune) bool {
	if r == joiner || r == nonJoiner || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}
