package text

import "github.com/rivo/uniseg"

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
