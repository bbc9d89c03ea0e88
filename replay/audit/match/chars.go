package match

import (
	"strings"
	"unicode"
)

// glyph is a character in its compatible form, and its bytes in the text.
type glyph struct {
	r        rune
	from, to int
}

// glyphs returns the characters of s in compatible forms, like NFKC but only for English, Korean and Japanese: full-width
// Latin, half-width katakana, decomposed Hangul and kana (as in macOS file names), typographic quotes and dashes.
func glyphs(s string) []glyph {
	all := make([]glyph, 0, len(s))
	for i, r := range s {
		g := glyph{compatible(r), i, i + len(string(r))}
		if r == unicode.ReplacementChar {
			g.to = i + 1 // an invalid byte
		}
		if n := len(all); n > 0 {
			if joined, ok := compose(all[n-1].r, g.r); ok {
				all[n-1] = glyph{joined, all[n-1].from, g.to}
				continue
			}
		}
		all = append(all, g)
	}
	return all
}

// halfKatakana are the characters U+FF66 to U+FF9F in full width. The last two are combining marks.
const halfKatakana = "ヲァィゥェォャュョッーアイウエオカキクケコサシスセソタチツテトナニヌネノハヒフヘホマミムメモヤユヨラリルレロワン\u3099\u309a"

var fullKatakana = []rune(halfKatakana)

func compatible(r rune) rune {
	switch {
	case r < 0x80:
		return r
	case r >= 0xFF01 && r <= 0xFF5E:
		return r - 0xFF01 + '!'
	case r >= 0xFF66 && r <= 0xFF9F:
		return fullKatakana[r-0xFF66]
	}
	switch r {
	case '\u00a0', '\u3000', '\u202f':
		return ' '
	case '‘', '’', '′':
		return '\''
	case '“', '”', '「', '」', '『', '』', '«', '»':
		return '"'
	case '‐', '‑', '–', '—', '−':
		return '-'
	}
	return r
}

// Hangul syllables are arithmetic (Unicode, chapter 3.12).
const (
	hangulFirst = 0xAC00
	hangulLast  = 0xD7A3
	finals      = 28 // final consonants of a syllable, and none
)

// voiced are the kana whose voiced form is the next character.
const voiced = "かきくけこさしすせそたちつてとはひふへほカキクケコサシスセソタチツテトハヒフヘホ"

// compose joins two characters that form one.
func compose(a, b rune) (rune, bool) {
	switch {
	case a >= 0x1100 && a <= 0x1112 && b >= 0x1161 && b <= 0x1175:
		return hangulFirst + ((a-0x1100)*21+(b-0x1161))*finals, true
	case isHangul(a) && (a-hangulFirst)%finals == 0 && b >= 0x11A8 && b <= 0x11C2:
		return a + (b - 0x11A7), true
	case b == 0x3099 && strings.ContainsRune(voiced, a):
		return a + 1, true
	case b == 0x309A && strings.ContainsRune("はひふへほハヒフヘホ", a):
		return a + 2, true
	}
	return 0, false
}

func isHangul(r rune) bool { return r >= hangulFirst && r <= hangulLast }

// open returns a syllable without its final consonant.
func open(r rune) rune { return r - (r-hangulFirst)%finals }

func isHan(r rune) bool { return unicode.Is(unicode.Han, r) || r == '々' }

func isHiragana(r rune) bool { return r >= 'ぁ' && r <= 'ゖ' }

func isKatakana(r rune) bool { return r >= 'ァ' && r <= 'ヺ' || r == 'ー' }

// isWord reports whether a character is part of a word of letters and digits.
func isWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' || unicode.Is(unicode.M, r)) &&
		!isHangul(r) && !isHan(r) && !isHiragana(r) && !isKatakana(r)
}

// contractions are pairs of vowels, by Unicode number. The second is the first with an ending: 줄이 and 줄여, 하 and 해.
var contractions = map[[2]rune]bool{{20, 6}: true, {13, 14}: true, {8, 9}: true, {0, 1}: true, {18, 4}: true}

// contracted reports whether two syllables differ only by a contraction with an ending.
func contracted(a, b rune) bool {
	a, b = (a-hangulFirst)/finals, (b-hangulFirst)/finals
	return a/21 == b/21 && (contractions[[2]rune{a % 21, b % 21}] || contractions[[2]rune{b % 21, a % 21}])
}
