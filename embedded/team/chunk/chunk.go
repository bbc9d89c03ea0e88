// Package chunk encodes a stretch of a device's log for the hub: a [Head] and the compressed events, signed by [Seal]. Each chunk has the
// hash of the one before. The package does no I/O.
package chunk

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nkeys"

	"journal/journal/record"
)

// ErrDamaged is returned for a chunk, fact or roster that cannot be read, or that its member did not sign.
var ErrDamaged = errors.New("what the hub has is not what its member signed")

const (
	// MaxRecords and MaxBytes bound a chunk, before it is compressed. One event alone may be longer.
	MaxRecords = 1000
	MaxBytes   = 256 << 10
	// MaxStretch bounds how many event numbers a chunk covers, shared or not.
	MaxStretch = 1 << 16

	// maxNumber bounds the event numbers of a log: a reader takes 4 bytes of memory for each.
	maxNumber = 1 << 26
)

// Head identifies the stretch of a chunk.
type Head struct {
	Team   string `json:"team"`
	Member string `json:"member"`
	Device string `json:"device"`
	Copy   int    `json:"copy"` // number of the copy of the device's log at the hub
	// First and Last are event numbers of the device's log. A number between them without a record was not shared.
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
	// Before is the Hash of the chunk before, empty in the first chunk of a copy.
	Before []byte `json:"before,omitempty"`
	// All and Projects select what of the log the copy holds.
	All      bool     `json:"all,omitempty"`
	Projects []string `json:"projects,omitempty"`
}

// Chunk is a decoded chunk.
type Chunk struct {
	Head
	Sealed
}

// Hash returns the hash of a chunk's bytes for the next chunk's Head.Before.
func Hash(b []byte) []byte {
	sum := sha256.Sum256(b)
	return sum[:]
}

// Encode returns the bytes of a chunk. The records are in order, within the head's stretch.
func Encode(h Head, records []record.Record, key nkeys.KeyPair) ([]byte, error) {
	return Seal(h, Pack(encodeRecords(h, records)), key)
}

// encodeRecords encodes each record as the distance of its number from the one before, its subject, id and data.
func encodeRecords(h Head, records []record.Record) (b []byte) {
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

// Decode reads a chunk. Nothing in it may be trusted before Verify. The error is ErrDamaged.
func Decode(b []byte) (c Chunk, err error) {
	c.Sealed, err = Open(b, &c.Head)
	if err == nil && (c.First == 0 || c.Last < c.First || c.Last > maxNumber || c.Last-c.First >= MaxStretch) {
		err = fmt.Errorf("%w: it cannot be read", ErrDamaged)
	}
	return c, err
}

// Records returns the records of a chunk from First to Last, with [record.Withheld] at each number that was not shared. The error is
// ErrDamaged.
func (c Chunk) Records() ([]record.Record, error) {
	all := make([]record.Record, c.Last-c.First+1)
	for i := range all {
		all[i] = record.Record{Seq: c.First + uint64(i), Subject: record.Withheld}
	}
	b, err := Unpack(c.Body)
	for last := c.First - 1; err == nil && len(b) > 0; {
		var r record.Record
		if r, b, err = cut(b, last, c.Last); err == nil {
			all[r.Seq-c.First], last = r, r.Seq
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%w: #%d to #%d cannot be read", ErrDamaged, c.First, c.Last)
	}
	return all, nil
}

// cut decodes the first record that encodeRecords encoded. rest holds the others. The error is ErrDamaged, also if the number of the
// record is not above after, or is above until.
func cut(b []byte, after, until uint64) (r record.Record, rest []byte, err error) {
	distance, n := binary.Uvarint(b)
	if n <= 0 || distance == 0 || distance > until-after {
		return r, nil, ErrDamaged
	}
	r.Seq, b = after+distance, b[n:]
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

const (
	signatureBytes = 64
	// maxPlain bounds a decompressed body, in bytes. MaxBytes together with one of the longest events is less.
	maxPlain = 2 << 20
)

// The encoder and decoder are made at their first use, which fails only for impossible options.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(MaxBytes), zstd.WithLowerEncoderMem(true))
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPlain), zstd.WithDecoderLowmem(true))
		return d
	})
)

// Pack compresses a body.
func Pack(plain []byte) []byte { return encoder().EncodeAll(plain, nil) }

// Unpack decompresses a body, to at most maxPlain bytes. The error is ErrDamaged.
func Unpack(b []byte) ([]byte, error) {
	plain, err := decoder().DecodeAll(b, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return plain, nil
}

// Sealed is a signed message of the hub: the signature (64 bytes), the length of the head, the head as JSON, and the body. The signature
// covers everything after it.
type Sealed struct {
	Body              []byte
	signed, signature []byte
}

// Seal signs a head and a body. The head is a structure that JSON can always encode.
func Seal(head any, body []byte, key nkeys.KeyPair) ([]byte, error) {
	text, _ := json.Marshal(head)
	all := binary.AppendUvarint(make([]byte, signatureBytes), uint64(len(text)))
	all = append(append(all, text...), body...)
	signature, err := key.Sign(all[signatureBytes:])
	if err != nil || len(signature) != signatureBytes {
		return nil, fmt.Errorf("sign: %w", errors.Join(err, nkeys.ErrInvalidSignature))
	}
	copy(all, signature)
	return all, nil
}

// Open splits what Seal returned, and decodes the head into a pointer. Nothing in it may be trusted before Verify. The error is
// ErrDamaged.
func Open(b []byte, head any) (s Sealed, err error) {
	unreadable := fmt.Errorf("%w: it cannot be read", ErrDamaged)
	if len(b) <= signatureBytes {
		return Sealed{}, unreadable
	}
	s.signature, s.signed = b[:signatureBytes], b[signatureBytes:]
	n, width := binary.Uvarint(s.signed)
	if width <= 0 || n > uint64(len(s.signed)-width) {
		return Sealed{}, unreadable
	}
	s.Body = s.signed[width+int(n):]
	if json.Unmarshal(s.signed[width:width+int(n)], head) != nil {
		return Sealed{}, unreadable
	}
	return s, nil
}

// Verify returns nil if one of some public keys made the signature. The error is ErrDamaged.
func (s Sealed) Verify(keys []string) error {
	for _, key := range keys {
		if public, err := nkeys.FromPublicKey(key); err == nil && public.Verify(s.signed, s.signature) == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: nobody of that name signed it", ErrDamaged)
}
