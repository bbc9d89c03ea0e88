package text

import (
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// window is how far from a cut, in bytes, characters are looked at. The longest
// emoji in use are 35 bytes; text that stacks hundreds of accents on one letter is
// cut between runes.
const window = 256

// Before returns the last border between grapheme clusters of s at or before i.
func Before(s string, i int) int {
	if i >= len(s) {
		return len(s)
	}
	start, sure := nearBorder(s, i)
	border := start
	for next := range clusters(s, start, i) {
		if next > i {
			break
		}
		border = next
	}
	if border == start && !sure {
		return RuneBefore(s, i)
	}
	return border
}

// After returns the first border between grapheme clusters of s at or after i.
func After(s string, i int) int {
	if i <= 0 || i >= len(s) {
		return min(max(i, 0), len(s))
	}
	start, _ := nearBorder(s, i)
	for next := range clusters(s, start, i) {
		if next >= i {
			return next
		}
	}
	return RuneAfter(s, i)
}

// nearBorder returns a place in s before i to look for clusters from. The start of s and a place between two ASCII
// characters are sure to be good: of these only the LF of a CR LF belongs to a cluster with what is before it, and
// nothing joins an LF from after. Other characters can take an ASCII one to themselves, such as an Arabic number sign.
func nearBorder(s string, i int) (start int, sure bool) {
	low := max(0, i-window)
	for at := i - 1; at >= low; at-- {
		if s[at] < utf8.RuneSelf && (at == 0 || s[at-1] < utf8.RuneSelf) {
			return at, true
		}
	}
	return RuneBefore(s, low), low == 0
}

// clusters returns the ends of the grapheme clusters of s from start on. Those
// that do not end within the window after i are not among them.
func clusters(s string, start, i int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		stop := RuneBefore(s, min(len(s), i+window))
		rest, state, at := s[start:stop], -1, start
		for len(rest) > 0 {
			var c string
			c, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			at += len(c)
			if rest == "" && stop < len(s) || !yield(at) {
				return
			}
		}
	}
}

// RuneBefore returns the last border between runes in b at or before i.
func RuneBefore[T []byte | string](b T, i int) int {
	for i > 0 && i < len(b) && !utf8.RuneStart(b[i]) {
		i--
	}
	return i
}

// RuneAfter returns the first border between runes in b at or after i.
func RuneAfter[T []byte | string](b T, i int) int {
	for i < len(b) && !utf8.RuneStart(b[i]) {
		i++
	}
	return i
}
