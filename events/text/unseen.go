package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Breaks returns a text with \n for every kind of line break that Markdown or a model may recognise.
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

// otherBreak reports whether r breaks a line and is not \n.
func otherBreak(r rune) bool {
	switch r {
	case '\r', '\v', '\f', 0x85, 0x2028, 0x2029:
		return true
	}
	return false
}

// Seen removes the characters that a person would not see and a model would still read. It keeps those that writing needs:
// joiners within emoji and between joining letters, single direction marks in a right-to-left line, and one selector after the
// character whose form it selects. Line breaks other than \n become blanks.
func Seen(s string) string {
	if !strings.ContainsFunc(s, unseen) {
		return s
	}
	s = strings.ReplaceAll(s, "\r\n", "\n")
	var b strings.Builder
	b.Grow(len(s))
	last := rune(' ') // the last character kept
	for i, r := range s {
		_, n := utf8.DecodeRuneInString(s[i:])
		next, _ := utf8.DecodeRuneInString(s[i+n:])
		switch {
		case r == utf8.RuneError:
			b.WriteString(s[i : i+n]) // invalid UTF-8 stays as it is
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

// unseen reports whether a character has no visible form.
func unseen(r rune) bool {
	switch {
	case ' ' <= r && r < 0x7f, r == '\n', r == '\t', unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return false
	case 0x3041 <= r && r <= 0xd7a3 && r != 0x3164: // Korean, Japanese, Chinese: frequent, so without a look-up
		return false
	case r < 0xa0, isSelector(r):
		return true
	case r == 0x034f, r == 0x17b4, r == 0x17b5, r == 0x3164, r == 0xffa0: // letters and marks without a form
		return true
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// needed reports whether writing needs r, the unseen character at byte i of s. last is the character kept before it, and next
// the one after it.
func needed(r, last, next rune, s string, i int) bool {
	switch {
	case r == joiner && emoji(last) && emoji(next):
		return true
	case r == joiner || r == nonJoiner:
		return joins(last) && joins(next)
	case isMark(r):
		return !isMark(last) && rightToLeft(lineAt(s, i))
	case isSelector(r):
		keycap := '#' <= last && last <= '9' && r == 0xfe0f
		return keycap || last > 0x7f && !isSelector(last)
	}
	return false
}

// emoji reports whether r can be next to a joiner in an emoji: pictures, skin tones, and the selector after a picture.
func emoji(r rune) bool {
	return unicode.Is(unicode.So, r) && r != utf8.RuneError || 0x1f3fb <= r && r <= 0x1f3ff || r == 0xfe0f || 0x2190 <= r && r <= 0x27bf
}

// joining lists the scripts whose letters change form next to a joiner.
var joining = []*unicode.RangeTable{
	unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Mandaic, unicode.Devanagari, unicode.Bengali,
	unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu, unicode.Kannada, unicode.Malayalam,
	unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Balinese, unicode.Javanese,
}

func joins(r rune) bool { return unicode.In(r, joining...) }

// isSelector reports whether r selects a form of the character before it.
func isSelector(r rune) bool { return 0xfe00 <= r && r <= 0xfe0f || 0xe0100 <= r && r <= 0xe01ef }

// isMark reports whether r is a direction mark: LRM, RLM or ALM.
func isMark(r rune) bool { return r == 0x200e || r == 0x200f || r == 0x061c }

// rightToLeft reports whether a line has right-to-left letters.
func rightToLeft(line string) bool {
	return strings.ContainsFunc(line, func(r rune) bool {
		return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko, unicode.Mandaic) && unicode.IsLetter(r)
	})
}

// lineAt returns the line of s that contains byte i.
func lineAt(s string, i int) string {
	from := strings.LastIndexByte(s[:i], '\n') + 1
	if end := strings.IndexByte(s[i:], '\n'); end >= 0 {
		return s[from : i+end]
	}
	return s[from:]
}

// Printable replaces by a dot each character of a foreign text that controls a terminal, reorders its neighbours, or
// cannot be seen. It keeps \n, tabs and joiners; \r\n becomes \n.
func Printable(s string) string {
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(s, "\r\n", "\n")
	}
	return strings.Map(func(r rune) rune {
		if ' ' <= r && r < 0x7f || !isUnprintable(r) {
			return r
		}
		return '·'
	}, s)
}

const (
	nonJoiner = '\u200c'
	joiner    = '\u200d'
)

// isUnprintable reports whether Printable replaces a character.
func isUnprintable(r rune) bool {
	if r == '\n' || r == '\t' || r == joiner || r == nonJoiner || unicode.Is(unicode.Prepended_Concatenation_Mark, r) {
		return false
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Visible replaces the invisible characters of a foreign text that can change its display. Control characters, such as terminal
// escapes, become their pictures or a dot, marks of the writing direction become ⇄, and tags of plane 14 become a dot. It keeps
// \n and tabs.
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

// hidden reports whether Visible replaces a character. It does not replace right-to-left marks and joiners, which people's
// texts need.
func hidden(r rune) bool {
	return r < ' ' && r != '\n' && r != '\t' || 0x7f <= r && r < 0xa0 ||
		0x202a <= r && r <= 0x202e || 0x2066 <= r && r <= 0x2069 ||
		0xe0000 <= r && r <= 0xe007f
}
