package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Breaks gives a text one kind of line break, whatever kinds it has: a reader of Markdown, or
// a model, may take each of them for one.
func Breaks(s string) string {
	if !strings.ContainsFunc(s, otherBreak) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		if otherBreak(r) {
			return '\n'
		}
		return r
	}, s)
}

// otherBreak says whether r breaks a line and is not the usual character for it.
func otherBreak(r rune) bool {
	switch r {
	case '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// Seen takes out of a text what a person would not see and a model would still read. What
// writing needs stays: joiners within emoji and between letters that join, one mark of
// direction in a line that is written from right to left, and one selector behind the
// character whose form it chooses. A line break of another kind becomes a blank.
func Seen(s string) string {
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	last := rune(' ') // the character before that stayed
	for i, r := range s {
		_, n := utf8.DecodeRuneInString(s[i:])
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		switch {
		case r == utf8.RuneError:
			b.WriteString(s[i : i+n]) // as it is, where it is no UTF-8
			last = r
			continue
		case otherBreak(r):
			r = ' '
		case unseen(r) && !needed(r, last, next, s, i):
			continue
		}
		b.WriteRune(r)
		last = r
	}
	return b.String()
}

// unseen says whether a character has no form of its own.
func unseen(r rune) bool {
	switch {
	case ' ' <= r && r < 0x7f, r == '\n', r == '\t', unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case 0x3041 <= r && r <= 0xd7a3 && r != 0x3164: // Korean, Japanese, Chinese: looked up so often
		return false
	case r < 0xa0, isSelector(r):
		return true
	case r == 0x034f, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0: // letters and marks without a form
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// needed says whether the unseen character at byte i of s is one that writing needs there.
func needed(r, last, next rune, s string, i int) bool {
	switch {
	case r == joiner && emoji(last) && emoji(next):
		return true
	case r == joiner || r == nonJoiner:
		return joins(last) && joins(next)
	case isMark(r):
		return !isMark(last) && rightToLeft(lineAt(s, i))
	case isSelector(r):
		return !isSelector(last) && last > 0x7f || last >= '#' && last <= '9' && r == 0xfe0f
	}
	return false
}

// emoji says whether r can stand beside a joiner in one: pictures, tones of skin, and the
// selector behind a picture.
func emoji(r rune) bool {
	return unicode.Is(unicode.So, r) && r != utf8.RuneError || 0x1f3fb <= r && r <= 0x1f3ff || r == 0xfe0f || 0x2190 <= r && r <= 0x27bf
}

// joining are the scripts whose letters take another form beside a joiner.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
	unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese,
}

func joins(r rune) bool { return unicode.In(r, joining...) }

func isSelector(r rune) bool { return 0xfe00 <= r && r <= 0xfe0f || 0xe0100 <= r && r <= 0xe01ef }

// isMark says whether r is a mark of direction that stands by itself.
func isMark(r rune) bool { return r == 0x200e || r == 0x200f || r == 0x061c }

// rightToLeft says whether a line has letters that are written so.
func rightToLeft(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool {
		return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Mandaic) && unicode.IsLetter(r)
	})
}

// lineAt is the line of s that byte i stands in.
func lineAt(s string, i int) string {
	from := strings.LastIndexByte(s[:i], '\n') + 1
	if end := strings.IndexByte(s[i:], '\n'); end >= 0 {
		return s[from : i+end]
	}
	return s[from:]
}

// Printable takes from a foreign text what steers a terminal, changes the order of what
// stands beside it, or cannot be seen: each such character is a dot. Line breaks and tabs
// stay, and so do the joiners within words and emoji.
func Printable(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return strings.Map(func(r rune) rune {
		if r == '\n' || r == '\t' || ' ' <= r && r < 0x7f || !steers(r) {
			return r
		}
		return '·'
	}, s)
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// steers says whether a character has no shape of its own: controls, marks of direction,
// separators of lines, and what nobody sees.
func steers(r rune) bool {
	if r == joiner || r == nonJoiner || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Visible shows the characters of a foreign text that a reader would not see and that change
// what is seen: control characters, as of escape sequences of terminals, by their pictures;
// those that turn the direction of writing, by a mark; those without any form, by a dot.
// Line breaks and tabs stay.
func Visible(s string) string {
	if !strings.ContainsFunc(s, hidden) {
		return s
	}
	return strings.Map(func(r rune) rune {
		switch {
		case !hidden(r):
			return r
		case r < ' ':
			return '␀' + r
		case r == 0x7f:
			return '␡'
		case r < 0xa0, r >= 0xe0000:
			return '·'
		}
		return '⇄'
	}, s)
}

// hidden says whether a character is one of these. A right-to-left mark or a joiner is none:
// texts of people need them.
func hidden(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 ||
		0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 ||
		0xe0000 <= r && r <= 0xe007f
}
