package record

import (
	"strings"
	"unicode"

	"journal/events/text"
)

// alike says whether two decisions seem to be about one thing: half of what the shorter
// one speaks of is in the other, and at least two words. Scripts without spaces are
// compared by pairs of characters.
func alike(a, b string) bool {
	x, y := topics(a), topics(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	return both >= 2 && 2*both >= len(x)
}

// topics gives what a text speaks of: its words, short ones apart, which say how and
// not what.
func topics(s string) map[string]bool {
	all := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		runes := []rune(w)
		if runes[0] > unicode.MaxLatin1 && unicode.In(runes[0], unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana) {
			for i := 1; i < len(runes); i++ {
				all[string(runes[i-1:i+1])] = true
			}
		} else if len(runes) > 3 {
			all[w] = true
		}
	}
	return all
}

// firstWords is a decision as a note tells it.
func firstWords(s string) string { return text.CutUnits(text.Line(s), 120) }
