package redact

import (
	"strings"
	"unicode/utf8"
)

// These lead to texts that are looked at again in another view: without characters that nobody sees, which may split a secret,
// and with the frames of tables as plain signs.
var _ = declare([]Rule{
	{Name: "unseen", Kind: "unseen", Finds: "secrets that characters without a width split: the whole text is looked at again without them", Keywords: []string{"\u200b", "\u200c", "\u200d", "\u2060", "\u2061", "\u2062", "\u2063", "\u2064", "\ufeff", "\u200e", "\u200f", "\u180e", "\x1b[0", "\x1b[1", "\x1b[2", "\x1b[3", "\x1b[4", "\x1b[9", "\x1b[m", "\x1b[K"}, sees: hidden, find: nothing},
	{Name: "frame", Kind: "frame", Finds: "secrets in tables that are drawn with lines: the whole text is looked at again with plain ones", Keywords: []string{"│", "┃", "║", "┆", "┊", "▏", "｜", "╎", "¦ ", "▕"}, sees: framed, find: nothing},
	{Name: "flow", Kind: "flow", Finds: "the arguments of a command that is written as a list: the whole text is looked at again with blanks between them", Keywords: []string{`"-p`, `"-u`, `"-a`, "'-p", "'-u"}, sees: listed, find: nothing},
})

func nothing(string, int, int) (from, to int) { return -1, -1 }

// softHyphen has fewer bytes than a keyword.
const softHyphen = "\u00ad"

// unseen reports whether a character has no width.
func unseen(r rune) bool {
	switch r {
	case 0x00ad, 0x034f, 0x180e, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0xfeff:
		return true
	}
	return r >= 0x200b && r <= 0x200f
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
