package text

import "github.com/rivo/uniseg"

// Columns is how many columns of a terminal a line takes: two for a Korean or Japanese
// character.
func Columns(s string) int { return uniseg.StringWidth(s) }

// CutColumns shortens a line to so many columns of a terminal, where a Korean or
// Japanese character takes two, and ends it with "…" when something is missing. It
// cuts at whole characters. A limit of 0 or less is none.
func CutColumns(s string, limit int) string {
	if limit <= 0 || uniseg.StringWidth(s) <= limit {
		return s
	}
	width, end, state := 0, 0, -1
	for rest := s; rest != ""; {
		var cluster string
		var w int
		cluster, rest, w, state = uniseg.FirstGraphemeClusterInString(rest, state)
		if width += w; width > limit-1 {
			break
		}
		end += len(cluster)
	}
	return s[:end] + "…"
}

// Characters counts what a person sees as characters: grapheme clusters.
func Characters(s string) int { return uniseg.GraphemeClusterCount(s) }

// FirstCharacters gives the first n characters of s, as Characters counts them; nothing for
// n below 1, and all of s when it has no more.
func FirstCharacters(s string, n int) string {
	rest, state := s, -1
	for ; n > 0 && rest != ""; n-- {
		_, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
	}
	return s[:len(s)-len(rest)]
}

// ellipsis ends a text that CutUnits shortened; it is one unit.
const ellipsis = "…"

// Units returns the length of s in UTF-16 code units, as JavaScript counts: the
// limits of agents, such as 10,000 for the text a hook may add, are in these
// (docs/CLIENTS.md §6). A byte that is not UTF-8 counts as one.
func Units(s string) int {
	n := 0
	for _, r := range s {
		n += units(r)
	}
	return n
}

func units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}

// CutUnits returns s if it has at most limit units, and else its longest beginning
// of whole grapheme clusters that leaves room for "…", followed by that. A cluster
// longer than 256 bytes may be broken between runes. With a limit below 1 nothing
// is left.
func CutUnits(s string, limit int) string {
	if limit < 1 {
		return ""
	}
	n, fit := 0, 0 // fit: the bytes that leave room for the ellipsis
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

// EndUnits is CutUnits from the other side: s if it has at most limit units, and
// else "…" and its longest end of whole grapheme clusters that leaves room for that.
func EndUnits(s string, limit int) string {
	over := Units(s) - limit
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
