package redact

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// This file finds secrets that only share a line with a name.

// far is the greatest distance in bytes between a name and a value that no sign joins to it.
const far = 80

// findLone finds a value that looks like a secret on the line of the name s[start:stop], whatever stands between the two: first among
// the ahead bytes behind the name, and then before the name, from begin on.
func findLone(s string, begin, start, stop, ahead int) (from, to int) {
	end := stop + ahead
	nameSense := senseAt(s, start, stop)
	if nameSense.how < byKey || nameSense.rule == namedCookie {
		return -1, -1
	}
	for i := stop; i < end; {
		option := from > 0 && from < to && s[from] == '-' && inList("about", strings.TrimLeft(s[from:to], "-"))
		if from, to, i = piece(s, i, end); option || to == end && end < len(s) && s[end] != '\n' && s[end] != '\r' {
			continue // the value of another option, or a word that goes on behind end
		}
		v := clip(s[from:to], judged)
		inPath := s[stop] == '.' || strings.HasSuffix(s[:start], "/")
		hexKey := nameSense.rule == namedPassword && !inPath && len(v) >= longHex && hex.only(v) && looksRandom(v) && !inColumn(s, from, to)
		next := from == stop+1 && s[stop] == ' ' // the word is the next one
		stored := next && nameSense.strong() && foldContains(s[lineBegin(s, start):start], parts("storing")) && (looksRandom(v) || isChosenWord(v))
		if from > stop && (hexKey || stored || nameSense.isSecretOnLine(s, from, to)) {
			return from, to
		}
	}
	for i := begin; i < start; {
		from, to, i = piece(s, i, start)
		if to < start && (from > begin || from == lineBegin(s, start)) && nameSense.isSecretOnLine(s, from, to) {
			return from, to
		}
	}
	return -1, -1
}

// inColumn reports whether s[from:to] is a digest in a column of digests: the line before or after ends with a digest of the same
// length.
func inColumn(s string, from, to int) bool {
	v := s[from:to]
	next := min(len(s), to+1)
	return hex.only(v) && slices.ContainsFunc([]string{lineAbove(s, from), s[next:lineEnd(s, next)]}, func(line string) bool {
		n := len(hex.tail(line))
		return n == len(v) && n < len(line) && gap.has(line[len(line)-n-1])
	})
}

// scanLine examines the first line of s. promising is true if the line may hold a secret: it has a digit, a quote, a sign that
// joins words, a long word, or ends with a sign that announces a value. oddLine is the length of the line if it has a digit or a
// long word, which may be no word of a language, else 0.
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

// longHex is the shortest hexadecimal number that counts as a key, in digits.
const longHex = 32

// piece returns the bounds of the first word of s[i:end], without the quotes, brackets and stops around it, and the index at which
// the next word can begin.
func piece(s string, i, end int) (from, to, next int) {
	const separators, brackets = " \t\r\n\"'`“”|", "([{<*"
	from = i + leading(s[i:end], separators+brackets)
	next = from + indexOr(s[from:end], separators)
	to = from + len(strings.TrimRight(s[from:next], ".,;:!?)]}>*"))
	return from, to, max(next, from+1)
}

// isSecretOnLine reports whether s[from:to], which only shares its line with a name of this sense, is a secret.
func (n sense) isSecretOnLine(s string, from, to int) bool {
	v := clip(s[from:to], judged)
	if len(v) < shortestKey || hex.only(v) || uuidLike(v) || touchesMark(s, from, to) {
		return false
	}
	name := dotted.run(v)
	named := name > 0 && name < len(v) && strings.IndexByte(":=(", v[name]) >= 0 && !jumbled(v[:name])
	inWord := from > 0 && strings.IndexByte(":=#/@$.&%", s[from-1]) >= 0
	if named || inWord || strings.HasPrefix(v, "eyJ") || contains(v, `\`, "](", "(data:", ";base64,") {
		return false // it has a name of its own, is a part of a longer word, or has rules of its own: eyJ begins a JSON web token
	}
	if n.how == byKey || n.how == byRandom {
		return isMachineKey(v) && lower.in(v) > 0 && !hasCodeWord(v)
	}
	return unmistakable(v) && isPassword(v)
}
