package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasWords reports whether a text contains some words as whole words.
func HasWords(s, words string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], words)
		if i < 0 {
			return false
		}
		start := from + i
		if isBorder(s, start) && isBorder(s, start+len(words)) {
			return true
		}
		_, n := utf8.DecodeRuneInString(s[start:])
		from = start + n
	}
}

// isBorder reports whether a place in a text is not within a word. In scripts without spaces between words, or with
// particles at their ends, it never is.
func isBorder(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return !inWord(before) || !inWord(after)
}

func inWord(r rune) bool {
	return r == '_' || (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
