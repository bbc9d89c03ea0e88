package text

import (
	"strings"
	"unicode/utf16"

	"github.com/rivo/uniseg"
)

// Columns returns how many terminal columns a line takes. A Korean or Japanese character takes two.
func Columns(s string) int {
	n := plainRun(s)
	return n + uniseg.StringWidth(s[n:])
}

// plainRun returns the number of bytes at the start of s that are printable ASCII, each one column wide. If another character
// follows, it does not count the last of these bytes, with which that character may combine.
func plainRun(s string) int {
	for i := range len(s) {
		if s[i] < ' ' || s[i] > '~' {
			return max(0, i-1)
		}
	}
	return len(s)
}

// CutColumns shortens a line to a number of terminal columns, as Columns counts them. It cuts at whole characters, and ends a
// shortened line with "…". A limit of 0 or less means no limit.
func CutColumns(s string, limit int) string {
	if limit <= 0 || Columns(s) <= limit {
		return s
	}
	end, state := min(plainRun(s), limit-1), -1
	width := end
	for rest := s[end:]; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if width += w; width > limit-1 {
			break
		}
		end += len(cluster)
	}
	return s[:end] + ellipsis
}

// Characters counts characters as a person sees them: grapheme clusters.
func Characters(s string) int { return uniseg.GraphemeClusterCount(s) }

// FirstCharacters returns the first n characters of s, as Characters counts them: nothing for n below 1, and all of s
// if it has no more.
func FirstCharacters(s string, n int) string {
	rest, state := s, -1
	for ; n > 0 && rest != ""; n-- {
		_, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
	}
	return s[:len(s)-len(rest)]
}

// ellipsis ends a text that was cut; it is one unit.
const ellipsis = "…"

// Units returns the length of s in UTF-16 code units, as JavaScript counts. The limits of agents, such as 10,000 for the text
// that a hook may add, are in these units (docs/CLIENTS.md §6). A byte that is not UTF-8 counts as one.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n += units(r)
	}
	return n
}

// units returns the length of a character in UTF-16 code units, 1 for an invalid one.
func units(r rune) int { return max(1, utf16.RuneLen(r)) }

// CutUnits returns s if it has at most limit units. Otherwise it returns the longest beginning of whole grapheme
// clusters that leaves room for "…", and "…". A cluster longer than 256 bytes may be broken between runes.
// With a limit below 1 the result is empty.
func CutUnits(s string, limit int) string {
	if limit < 1 {
		return ""
	}
	n, fit := 0, 0 // fit is the number of bytes that leaves room for the ellipsis
	for i, r := range s {
		if n < limit {
			fit = i
		}
		if n += units(r); n > limit {
			return s[:Before(s, fit)] + ellipsis
		}
	}
	return s
}

// EndUnits is CutUnits for the end of s. It returns s if s has at most limit units. Otherwise it returns "…" and the longest end
// of whole grapheme clusters that leaves room for "…".
func EndUnits(s string, limit int) string {
	over := Units(s) - limit // number of units to leave out
	switch {
	case limit < 1:
		return ""
	case over <= 0:
		return s
	}
	for i, r := range s {
		if over < 0 {
			return ellipsis + s[After(s, i):]
		}
		over -= units(r)
	}
	return ellipsis
}

// Line joins the lines of a text: every run of white space becomes one blank, and none remains around the text.
func Line(s string) string {
	if isLine(s) {
		return s
	}
	return strings.Join(strings.Fields(s), " ")
}

// CutLine joins the lines of a text and cuts it to limit UTF-16 units.
func CutLine(s string, limit int) string { return CutUnits(Line(s), limit) }

// isLine reports whether Line would surely return s unchanged. It is also false for some texts that Line does not change: those
// with a byte that may begin a Unicode space.
func isLine(s string) bool {
	blank := true
	for i := range len(s) {
		c := s[i]
		if c < ' ' || c == ' ' && blank || c == 0xc2 || c >= 0xe1 && c <= 0xe3 {
			return false // a control, two blanks, or the first byte of a Unicode space
		}
		blank = c == ' '
	}
	return !blank || s == ""
}

// Trimmed returns a text with one kind of line end and no white space around it.
func Trimmed(s string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"))
}

// identifier matches a name in a program: it has a capital letter or an underscore after its first letter, or is followed by ()
// or a backquote.
var identifier = Pattern(`\b(?:[A-Za-z_][a-z0-9]*[A-Z_]\w*|[A-Za-z_]\w{3,}\b(?:\(\)|\x60))`)

// Identifiers lists the names of program symbols in a text, of at least four characters, each once, at most limit.
func Identifiers(s string, limit int) (all []string) {
	seen := map[string]bool{}
	for _, w := range identifier().FindAllString(s, -1) {
		w = strings.TrimRight(w, "()`")
		if len(w) >= 4 && !seen[w] && len(all) < limit {
			seen[w] = true
			all = append(all, w)
		}
	}
	return all
}
