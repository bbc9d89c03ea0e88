package redact

import "strings"

// This file finds quotes, lines and blanks in a text.

// quote is a pair of quotation marks around a value. The zero value means that there is none.
type quote struct {
	close   string
	escapes int // backslashes before each mark: one in a JSON string, three in a JSON string within a JSON string
}

// opening returns the quote whose opening mark is at the start of s, and the mark's width with its backslashes.
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

// run returns the length of the value at the start of s, up to the closing mark or the end of the line.
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

// value is run for the value of a name: a closing mark before a letter, a digit or a sign belongs to the value, and so do marks
// that a shell or YAML escapes.
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
			return n // the mark at n closes the value
		}
		n += 1 + skip + more
	}
	return n
}

// blanks returns the width of the blanks at the start of s: at most longestBlank, and an ideographic space.
func blanks(s string) int {
	n := gap.run(clip(s, longestBlank))
	return n + prefixOf(s[n:], "\u3000")
}

// indexOr returns the index of the first byte of s that is in set, or len(s).
func indexOr(s, set string) int {
	if i := strings.IndexAny(s, set); i >= 0 {
		return i
	}
	return len(s)
}

// lineBegin returns the index at which the line of s[at] begins, or at-usualWindow if that is greater.
func lineBegin(s string, at int) int {
	near := max(0, at-usualWindow)
	return near + strings.LastIndexByte(s[near:at], '\n') + 1
}

// lineAbove returns the line before that of s[at].
func lineAbove(s string, at int) string {
	end := max(0, lineBegin(s, at)-1)
	return s[lineBegin(s, end):end]
}

// lineEnd returns the index at which the line of s[at] ends, before its line break.
func lineEnd(s string, at int) int {
	line, _, _ := strings.Cut(s[at:], "\n")
	line, _, _ = strings.Cut(line, "\r")
	return at + len(line)
}

// prefixOf returns the width of the first word with which s begins, or 0.
func prefixOf(s string, words ...string) int {
	for _, w := range words {
		if strings.HasPrefix(s, w) {
			return len(w)
		}
	}
	return 0
}

// leading returns the number of bytes at the start of s that are in set.
func leading(s, set string) (n int) {
	for n < len(s) && strings.IndexByte(set, s[n]) >= 0 {
		n++
	}
	return n
}

// clip returns the first n bytes of s, or all.
func clip(s string, n int) string { return s[:min(n, len(s))] }

// literalAt returns the bounds of the text in the literal at i, or -1, -1. The literal must end on its line.
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

// escaped reports whether s[at] may be the letter of an escape, such as the n of \n in JSON: a word may begin behind the letter.
func escaped(s string, at int) bool {
	return at > 0 && s[at-1] == '\\' && strings.IndexByte("bfnrt", s[at]) >= 0
}
