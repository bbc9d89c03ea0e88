package archive

import "crypto/sha256"

// Record is one stored message of the log.
type Record struct {
	Seq     uint64
	Subject string // at most 64 KiB
	ID      string // message id, empty when the message has none; at most 64 KiB
	// Data is the stored bytes, never encoded again. Records that Read gives
	// share memory with their neighbours: take a copy to keep one for long.
	Data []byte
}

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
