package redact

import "strings"

// This file finds the bounds of quotes, lines and blanks in a text.

// quote is the pair of characters around a value. The zero value means none.
type quote struct {
	close   string
	escapes int // backslashes before each quote: text that is a string inside of JSON has one, inside of two strings three
}

// opening returns the quote at the start of s and its width.
func opening(s string) (q quote, width int) {
	const most = 15
	width = leading(clip(s, most), `\`)
	for _, pair := range [...][2]string{{`"""`, `"""`}, {"'''", "'''"}, {`"`, `"`}, {`'`, `'`}, {"`", "`"}, {"“", "”"}, {"‘", "’"}, {"「", "」"}, {"『", "』"}} {
		if strings.HasPrefix(s[width:], pair[0]) {
			return quote{close: pair[1], escapes: width}, width + len(pair[0])
		}
	}
	return quote{}, 0
}

// run returns the length of the value at the start of s, up to the closing quote or the end of the line.
func (q quote) run(s string) int {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '\n', c == '\r', strings.HasPrefix(s[i:], q.close):
			return i
		case c == '\\':
			n := leading(s[i:], `\`)
			if strings.HasPrefix(s[i+n:], q.close) {
				switch {
				case q.escapes > 0 && n <= q.escapes:
					return i
				case q.escapes == 0 && n%2 == 0:
					return i + n
				}
				n++
			}
			i += n - 1
		}
	}
	return len(s)
}

// value is run for the value of a name: a quote before a letter or a digit is a part of it, as are quotes that
// a shell or YAML escapes.
func (q quote) value(s string) int {
	n := q.run(s)
	for n < len(s) && strings.HasPrefix(s[n:], q.close) && len(q.close) == 1 && q.escapes == 0 {
		rest := s[n+1:]
		skip := 0
		if q.close == "'" {
			skip = prefixOf(rest, `\''`, "'")
		}
		if skip == 0 && (rest == "" || !alnum.has(rest[0]) && strings.IndexByte("!#$%&*?@^_~=-/(<[{\\", rest[0]) < 0) {
			return n
		}
		more := q.run(rest[skip:])
		if !strings.HasPrefix(rest[skip+more:], q.close) || strings.ContainsAny(rest[:skip+more], " \t") {
			return n // it was the end
		}
		n += 1 + skip + more
	}
	return n
}

// firstWide is the first rune, a Hangul letter, after those of the alphabets that passwords are written in. The rune that
// stands for invalid bytes lies after it too.
const firstWide = 0x1100

// blanks returns the width of the blanks at the start of s, at most longestBlank.
func blanks(s string) int {
	n := gap.run(clip(s, longestBlank))
	return n + prefixOf(s[n:], "\u3000")
}

// indexOr returns where the first of the bytes of set stands in s, or len(s).
func indexOr(s, set string) int {
	if i := strings.IndexAny(s, set); i >= 0 {
		return i
	}
	return len(s)
}

// lineBegin returns where the line of s[at] begins, or a place within it when that is further than the usual window.
func lineBegin(s string, at int) int {
	near := max(0, at-usualWindow)
	return near + strings.LastIndexByte(s[near:at], '\n') + 1
}

// lineAbove returns the line above that of s[at].
func lineAbove(s string, at int) string {
	end := max(0, lineBegin(s, at)-1)
	return s[lineBegin(s, end):end]
}

// lineEnd returns where the line of s[at] ends.
func lineEnd(s string, at int) int {
	line, _, _ := strings.Cut(s[at:], "\n")
	line, _, _ = strings.Cut(line, "\r")
	return at + len(line)
}

// prefixOf returns the width of the first of some words that s begins with, or 0.
func prefixOf(s string, words ...string) int {
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}

// leading returns how many bytes at the start of s are among those of set.
func leading(s, set string) (n int) {
	for n < len(s) && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return n
}

func clip(s string, n int) string { return s[:min(n, len(s))] }

// literalAt returns the bounds of the text of the literal whose quote stands at i, or -1, -1. It ends on its line.
func literalAt(s string, i int) (from, to int) {
	i += constructor(s[i:])
	q, width := opening(s[i:])
	if q.close == "" {
		return -1, -1
	}
	from = i + width
	to = from + q.value(s[from:])
	return placeIf(from < to && to < len(s) && s[to] != '\n', from, to)
}

// escaped reports whether the letter at a place may be that of an escape, as in texts of JSON
// within a text: what follows \n stands at the beginning of a line.
func escaped(s string, at int) bool {
	return at > 0 && s[at-1] == '\\' && strings.IndexByte("bfnrt", s[at]) >= 0
}
