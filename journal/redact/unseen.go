package redact

import (
	"strings"
	"unicode/utf8"
)

// unseenRule leads to texts with characters that nobody sees. A secret that they split is one all the same: who copies it
// gets it whole.
var unseenRule = [...]Rule{{
	Name: "unseen", Kind: "unseen", Finds: "secrets that characters without a width split: the whole text is looked at again without them",
	Keywords: []string{"\u200b", "\u200c", "\u200d", "\u2060", "\u2061", "\u2062", "\u2063", "\u2064", "\ufeff", "\u200e", "\u200f", "\u180e"},
	find:     func(string, int, int) (int, int) { return -1, -1 },
}}

var _ = declare(unseenRule[:])

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
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return true
		}
	}
	return false
}

// visible returns s without the characters that have no width.
func visible(s string) string {
	if !anyWide(s) || !strings.ContainsFunc(s, unseen) {
		return s
	}
	return strings.Map(func(r rune) rune {
		if unseen(r) {
			return -1
		}
		return r
	}, s)
}

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

// unseenAt returns the width of a character without a width.
func unseenAt(s string, i int) int {
	if s[i] < utf8.RuneSelf {
		return 0
	}
	if r, n := utf8.DecodeRuneInString(s[i:]); unseen(r) {
		return n
	}
	return 0
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

// numbered reports whether the lines of s have numbers before them, as tools show files: the first and the second.
func numbered(s string) bool {
	if s == "" || !gap.has(s[0]) && !digit.has(s[0]) {
		return false
	}
	if numberAt(s, 0) == 0 {
		return false
	}
	next := strings.IndexByte(clip(s, 4*usualWindow), '\n') + 1
	return next > 0 && numberAt(s, next) > 0
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
