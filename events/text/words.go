package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// HasWords reports whether s contains the text words at a place where its first and its last word are whole words of s.
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

// isBoundary reports whether s[i] is at a word boundary. Letters of scripts without spaces, or with particles at the ends of
// words (Chinese, Korean, Japanese, Thai), have boundaries on both sides.
func isBoundary(s string, i int) bool {
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return !inWord(before) || !inWord(after)
}

// inWord reports whether r belongs to a word together with its neighbours.
func inWord(r rune) bool {
	return r == '_' || (unicode.IsLetter(r) || unicode.IsDigit(r)) &&
		!unicode.In(r, unicode.Han, unicode.Hangul, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}
