package archive

import "crypto/sha256"

// Chain is the rolling hash over all records up to one: SHA-256 of the chain
// before and of the record as it lies in a frame, which holds the sequence,
// subject, id and stored bytes. The zero Chain is before the first record.
type Chain [sha256.Size]byte

func (c Chain) after(body []byte) (next Chain) {
	h := sha256.New()
	h.Write(c[:])
	h.Write(body)
	h.Sum(next[:0])
	return next
}
