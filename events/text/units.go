package text

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
