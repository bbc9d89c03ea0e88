package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// MaxMark bounds the length of a mark in bytes: 39 beside the number, which has at
// most 19 digits.
const MaxMark = 64

// Cut returns the first head and the last tail bytes of s, joined by a mark that
// tells how many bytes were left out and a digest of those kept:
//
//	…[+N bytes sha256:16 hex digits]…
//
// Less is kept where a character would be broken: a cut is at a border between
// grapheme clusters, or between runes in a cluster longer than 256 bytes. A string
// that is at most 64 bytes longer than head and tail together, which is room for
// the mark, is returned as it is; so is the result of an earlier Cut. Negative
// sizes are taken as 0.
//
// Secrets have to be removed from s before: one on the edge of the cut is not
// recognised any more, and the digest of a short one would be the secret.
func Cut(s string, head, tail int) string {
	head, tail = max(head, 0), max(tail, 0)
	if len(s)-head-tail <= MaxMark {
		return s
	}
	from := Before(s, head)
	to := After(s, len(s)-tail)
	return Join(s[:from], s[to:], to-from)
}

// Join puts the mark for lost bytes between head and tail.
func Join(head, tail string, lost int) string {
	digest := sha256.New()
	digest.Write([]byte(head))
	digest.Write([]byte(tail))
	sum := hex.EncodeToString(digest.Sum(nil)[:8])
	return head + "…[+" + strconv.Itoa(lost) + " bytes sha256:" + sum + "]…" + tail
}

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
