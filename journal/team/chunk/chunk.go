// Package chunk is the form in which a stretch of a device's log is at the hub: signed, compressed, and bound to
// the one before. It does no I/O.
//
// A chunk is the signature (64 bytes), the length of the head, the head, and the events, compressed. Signed is all
// that stands behind the signature.
package chunk

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nkeys"

	"journal/journal/record"
)

// ErrDamaged is returned for a chunk that is not what its member made.
var ErrDamaged = errors.New("what the hub has is not what its member signed")

const (
	// MaxRecords and MaxBytes bound a chunk, before it is compressed. One event alone may be longer.
	MaxRecords = 1000
	MaxBytes   = 256 << 10
	// MaxStretch is how many numbers a chunk is of, shared or not.
	MaxStretch = 1 << 16

	signatureBytes = 64
	// maxPlain bounds what a chunk decompresses to: a chunk that is full but for one of the longest events.
	maxPlain = 2 << 20
	// maxNumber bounds what readers lay out for the numbers of a log, of which each takes them 4 bytes.
	maxNumber = 1 << 26
)

// Head says which stretch a chunk is.
type Head struct {
	Team   string `json:"team"`
	Member string `json:"member"`
	Device string `json:"device"`
	Copy   int    `json:"copy"`
	// First and Last are numbers of the device's log. A number between them that has no event was not shared.
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	// Before is the Hash of the chunk before, empty in the first of a copy.
	Before []byte `json:"before,omitempty"`
	// Earlier says that whoever runs the hub made the chunk of what a version before had there, and signed it instead of
	// the member.
	Earlier bool `json:"earlier,omitempty"`
	// All and Projects say what of the log the copy is of; neither, in chunks of earlier versions: that is not known.
	All      bool     `json:"all,omitempty"`
	Projects []string `json:"projects,omitempty"`
}

// Chunk is a chunk as the hub has it.
type Chunk struct {
	Head
	signed, signature, packed []byte
}

// What compresses is made when it is first needed.
var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(MaxBytes), zstd.WithLowerEncoderMem(true))
	})
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPlain), zstd.WithDecoderLowmem(true))
	})
)

// Hash is of a chunk's bytes, as the next one names it; of none it is empty.
func Hash(b []byte) []byte {
	if len(b) == 0 {
		return nil
	}
	sum := sha256.Sum256(b)
	return sum[:]
}

// Encode makes the bytes of a chunk. The records are in order, within the head's stretch.
func Encode(h Head, records []record.Record, key nkeys.KeyPair) ([]byte, error) {
	head, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	enc, err := encoder()
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	all := binary.AppendUvarint(make([]byte, signatureBytes), uint64(len(head)))
	all = enc.EncodeAll(plain(h, records), append(all, head...))
	signature, err := key.Sign(all[signatureBytes:])
	if err != nil || len(signature) != signatureBytes {
		return nil, fmt.Errorf("sign: %w", errors.Join(err, nkeys.ErrInvalidSignature))
	}
	copy(all, signature)
	return all, nil
}

// plain spells records: how far each is behind the one before, subject, id and data.
func plain(h Head, records []record.Record) (b []byte) {
	last := h.First - 1
	for _, r := range records {
		b = binary.AppendUvarint(b, r.Seq-last)
		for _, s := range []string{r.Subject, r.ID} {
			b = append(binary.AppendUvarint(b, uint64(len(s))), s...)
		}
		b = append(binary.AppendUvarint(b, uint64(len(r.Data))), r.Data...)
		last = r.Seq
	}
	return b
}

// Decode reads a chunk. Whose it is has to be verified before it is believed. The error is ErrDamaged.
func Decode(b []byte) (c Chunk, err error) {
	if len(b) > signatureBytes {
		c.signature, c.signed = b[:signatureBytes], b[signatureBytes:]
		n, digits := binary.Uvarint(c.signed)
		if digits > 0 && n <= uint64(len(c.signed)-digits) {
			c.packed = c.signed[digits+int(n):]
			err = json.Unmarshal(c.signed[digits:digits+int(n)], &c.Head)
		}
	}
	if err != nil || c.packed == nil || c.First == 0 || c.Last < c.First || c.Last > maxNumber || c.Last-c.First >= MaxStretch {
		return Chunk{}, fmt.Errorf("%w: it cannot be read", ErrDamaged)
	}
	return c, nil
}

// Verify says whether one of some public keys signed it. The error is ErrDamaged.
func (c Chunk) Verify(keys []string) error {
	for _, key := range keys {
		if public, err := nkeys.FromPublicKey(key); err == nil && public.Verify(c.signed, c.signature) == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: #%d to #%d", ErrDamaged, c.First, c.Last)
}

// Holds says whether the events of a chunk are these records.
func (c Chunk) Holds(records []record.Record) (bool, error) {
	b, err := c.plain()
	return bytes.Equal(b, plain(c.Head, records)), err
}

func (c Chunk) plain() ([]byte, error) {
	dec, err := decoder()
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	b, err := dec.DecodeAll(c.packed, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return b, nil
}

// Records gives what a chunk holds, with [record.Withheld] at each number that was not shared. The error is ErrDamaged.
func (c Chunk) Records() iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		b, err := c.plain()
		next := c.First
		for err == nil && len(b) > 0 {
			var r record.Record
			if r, b, err = cut(b, next-1); err == nil && r.Seq > c.Last {
				err = ErrDamaged
			}
			if err != nil {
				break
			}
			for ; next < r.Seq; next++ {
				if !yield(record.Record{Seq: next, Subject: record.Withheld}, nil) {
					return
				}
			}
			next++
			if !yield(r, nil) {
				return
			}
		}
		if err != nil || len(b) > 0 {
			yield(record.Record{}, fmt.Errorf("%w: #%d to #%d cannot be read", ErrDamaged, c.First, c.Last))
			return
		}
		for ; next <= c.Last; next++ {
			if !yield(record.Record{Seq: next, Subject: record.Withheld}, nil) {
				return
			}
		}
	}
}

// cut takes the first record off what plain spelled.
func cut(b []byte, after uint64) (r record.Record, rest []byte, err error) {
	behind, n := binary.Uvarint(b)
	if n <= 0 || behind == 0 || behind > 1<<40 {
		return r, nil, ErrDamaged
	}
	r.Seq, b = after+behind, b[n:]
	var part [3][]byte
	for i := range part {
		size, n := binary.Uvarint(b)
		if n <= 0 || size > uint64(len(b)-n) {
			return r, nil, ErrDamaged
		}
		part[i], b = b[n:n+int(size)], b[n+int(size):]
	}
	r.Subject, r.ID, r.Data = string(part[0]), string(part[1]), part[2]
	return r, b, nil
}
