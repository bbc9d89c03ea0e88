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
		if isBoundary(s, start) && isBoundary(s, start+len(words)) {
			return true
		}
		_, n := utf8.DecodeRuneInString(s[start:])
		from = start + n
	}
}

// isBoundary reports whether position at in s is a word boundary. Letters of scripts without spaces, or with
// particles at the ends of words (Chinese, Korean, Japanese, Thai), are boundaries on both sides.
func isBoundary(s string, at int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:at])
	after, _ := utf8.DecodeRuneInString(s[at:])
	return !inWord(before) || !inWord(after)
}

func inWord(r rune) bool {
	return r == '_' || (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
