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
