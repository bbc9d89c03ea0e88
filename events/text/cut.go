package text

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"
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
