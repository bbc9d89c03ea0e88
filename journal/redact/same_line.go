package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// This file decides whether a value that only shares its line with a name is a secret.

// far is the distance in bytes within which a value belongs to a name although no sign joins them.
const far = 80

// lone finds a value that looks like a secret on the line of the name s[start:stop], whatever stands between the two. It looks
// behind the name first, for ahead bytes, and then before it, from begin on.
func lone(s string, begin, start, stop, ahead int) (from, to int) {
	end := stop + ahead
	nameSense := senseAt(s, start, stop)
	if nameSense.how < byKey || nameSense.rule == namedCookie {
		return -1, -1
	}
	for i := stop; i < end; {
		option := from > 0 && from < to && s[from] == '-' && inList("about", strings.TrimLeft(s[from:to], "-"))
		if from, to, i = piece(s, i, end); option || to == end && end < len(s) && s[end] != '\n' && s[end] != '\r' {
			continue // the value of another option; what goes on
		}
		v := clip(s[from:to], judged)
		digits := nameSense.rule == namedPassword && s[stop] != '.' && !strings.HasSuffix(s[:start], "/") && len(v) >= longHex && hex.only(v) && chance(v) && !inColumn(s, from, to)
		stored := from == stop+1 && s[stop] == ' ' && nameSense.strong() && foldContains(s[lineBegin(s, start):start], parts("storing")) && (chance(v) || chosenWord(v))
		if from > stop && (digits || stored || nameSense.alone(s, from, to)) {
			return from, to
		}
	}
	for i := begin; i < start; {
		from, to, i = piece(s, i, start)
		if to < start && (from > begin || from == lineBegin(s, start)) && nameSense.alone(s, from, to) {
			return from, to
		}
	}
	return -1, -1
}

// inColumn reports whether s[from:to] is a digest, and what ends the line before or behind is one as long.
func inColumn(s string, from, to int) bool {
	v := s[from:to]
	next := min(len(s), to+1)
	return hex.only(v) && slices.ContainsFunc([]string{lineAbove(s, from), s[next:lineEnd(s, next)]}, func(line string) bool {
		n := len(hex.tail(line))
		return n == len(v) && n < len(line) && gap.has(line[len(line)-n-1])
	})
}

// scanLine reads s up to the end of its line. It reports whether the line may hold a secret: a digit, a quote, a sign
// that joins words, or a long word. If a word of the line may be no
// word of a language, oddLine is the length of the line, else 0.
func scanLine(s string) (promising bool, oddLine int) {
	run := 0 // letters and signs since the last blank
	for i := range len(s) {
		c := classes[s[i]]
		switch {
		case s[i] == '\n':
			return promising || i == 0 || strings.IndexByte(":?*", s[i-1]) >= 0, min(oddLine, i)
		case c&gap != 0, s[i] >= utf8.RuneSelf:
			run = 0
		default:
			if run++; run > longWord || c&digit != 0 {
				promising, oddLine = true, len(s)
			} else if c&sign != 0 {
				promising = true
			}
		}
	}
	return promising, oddLine
}

// longHex is the shortest hexadecimal number that is a key.
const longHex = 32

// piece returns the first word of s[i:end], without the quotes, brackets and stops around it, and where the next begins.
func piece(s string, i, end int) (from, to, next int) {
	const parts, around = " \t\r\n\"'`“”|", "([{<*"
	from = i + leading(s[i:end], parts+around)
	next = from + indexOr(s[from:end], parts)
	to = from + len(strings.TrimRight(s[from:next], ".,;:!?)]}>*"))
	return from, to, max(next, from+1)
}

// alone reports whether s[from:to], which only shares its line with a name of this sense, is a secret.
func (n sense) alone(s string, from, to int) bool {
	v := clip(s[from:to], judged)
	if len(v) < shortestKey || hex.only(v) || uuidLike(v) || touchesMark(s, from, to) {
		return false
	}
	name := dotted.run(v)
	named := name > 0 && name < len(v) && strings.IndexByte(":=(", v[name]) >= 0 && !jumbled(v[:name])
	if named || strings.HasPrefix(v, "eyJ") || contains(v, `\`, "](", "(data:", ";base64,") || from > 0 && strings.IndexByte(":=#/@$.&%", s[from-1]) >= 0 {
		return false // it has a name of its own, or is a part of something
	}
	if n.how == byKey || n.how == byChance {
		return machineKey(v) && lower.in(v) > 0 && !hasCodeWord(v)
	}
	return unmistakable(v) && password(v)
}
