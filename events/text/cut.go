package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// MaxMark bounds the length of Join's mark in bytes: 39 plus a number of at most 19 digits.
const MaxMark = 64

// Cut returns the first head and the last tail bytes of s, joined by a mark with the number of bytes left out and a
// digest of the bytes kept:
//
//	…[+N bytes sha256:16 hex digits]…
//
// It cuts between grapheme clusters, and may keep less than head and tail for that; in a cluster longer than 256 bytes it cuts
// between runes. It returns s unchanged if s is at most MaxMark longer than head and tail, so also the result of an earlier
// Cut. Negative sizes count as 0.
//
// Secrets must be removed from s before: a secret on the edge of the cut would no longer be recognised, and the digest
// of a short secret would reveal it.
func Cut(s string, head, tail int) string {
	head, tail = max(head, 0), max(tail, 0)
	if len(s)-head-tail <= MaxMark {
		return s
	}
	from := Before(s, head)
	to := After(s, len(s)-tail)
	return Join(s[:from], s[to:], to-from)
}

// Join puts the mark of Cut between head and tail. lost is the number of bytes left out.
func Join(head, tail string, lost int) string {
	return head + "…[+" + strconv.Itoa(lost) + " bytes sha256:" + Digest(head + tail)[:16] + "]…" + tail
}

// Digest returns the SHA-256 of some bytes as 64 hex digits.
func Digest[T []byte | string](b T) string {
	sum := sha256.Sum256([]byte(b))
	return hex.EncodeToString(sum[:])
}

// window is the distance from a cut within which borders of clusters are searched, in bytes. The longest emoji in use have 35 bytes; a
// letter with hundreds of stacked accents is cut between runes.
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

// nearBorder returns an offset before i at which to start reading clusters. sure reports whether the borders behind it are those of s:
// it is the start of s or between two ASCII characters. Between CR and LF is no border, but the cluster of both ends where that of LF
// alone ends. Other characters, such as an Arabic number sign, can join a following ASCII one.
func nearBorder(s string, i int) (start int, sure bool) {
	low := max(0, i-window)
	for at := i - 1; at >= low; at-- {
		if s[at] < utf8.RuneSelf && (at == 0 || s[at-1] < utf8.RuneSelf) {
			return at, true
		}
	}
	return RuneBefore(s, low), low == 0
}

// clusters yields the ends of the grapheme clusters of s after start, up to those within the window after i.
func clusters(s string, start, i int) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		stop := RuneBefore(s, min(len(s), i+window))
		rest, state, pos := s[start:stop], -1, start
		for len(rest) > 0 {
			var c string
			c, rest, _, state = uniseg.FirstGraphemeClusterInString(rest, state)
			pos += len(c)
			if rest == "" && stop < len(s) || !yield(pos) {
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
