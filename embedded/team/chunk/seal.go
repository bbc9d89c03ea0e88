package chunk

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
	"github.com/nats-io/nkeys"
)

const (
	signatureBytes = 64
	// maxPlain bounds what a body decompresses to: a chunk that is full but for one of the longest events.
	maxPlain = 2 << 20
)

// The compressors are made when they are first needed.
var (
	encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
		return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(MaxBytes), zstd.WithLowerEncoderMem(true))
	})
	decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
		return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPlain), zstd.WithDecoderLowmem(true))
	})
)

// Pack compresses a body.
func Pack(plain []byte) ([]byte, error) {
	enc, err := encoder()
	if err != nil {
		return nil, fmt.Errorf("compress: %w", err)
	}
	return enc.EncodeAll(plain, nil), nil
}

// Unpack decompresses a body, which is at most 2 MB then. The error is ErrDamaged.
func Unpack(b []byte) ([]byte, error) {
	dec, err := decoder()
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	plain, err := dec.DecodeAll(b, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	return plain, nil
}

// Sealed is a head and a body as they are at the hub: the signature (64 bytes), the length of the head, the head as
// JSON, and the body. The signature covers everything after it.
type Sealed struct {
	Body              []byte
	signed, signature []byte
}

// Seal signs a head and a body.
func Seal(head any, body []byte, key nkeys.KeyPair) ([]byte, error) {
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	all := binary.AppendUvarint(make([]byte, signatureBytes), uint64(len(text)))
	all = append(append(all, text...), body...)
	signature, err := key.Sign(all[signatureBytes:])
	if err != nil || len(signature) != signatureBytes {
		return nil, fmt.Errorf("sign: %w", errors.Join(err, nkeys.ErrInvalidSignature))
	}
	copy(all, signature)
	return all, nil
}

// Open reads what Seal made, and its head into a pointer. Nothing of it may be believed before Verify. The error is
// ErrDamaged.
func Open(b []byte, head any) (s Sealed, err error) {
	unreadable := fmt.Errorf("%w: it cannot be read", ErrDamaged)
	if len(b) <= signatureBytes {
		return Sealed{}, unreadable
	}
	s.signature, s.signed = b[:signatureBytes], b[signatureBytes:]
	n, digits := binary.Uvarint(s.signed)
	if digits <= 0 || n > uint64(len(s.signed)-digits) {
		return Sealed{}, unreadable
	}
	s.Body = s.signed[digits+int(n):]
	if json.Unmarshal(s.signed[digits:digits+int(n)], head) != nil {
		return Sealed{}, unreadable
	}
	return s, nil
}

// Verify returns nil if one of some public keys signed it. The error is ErrDamaged.
func (s Sealed) Verify(keys []string) error {
	for _, key := range keys {
		if public, err := nkeys.FromPublicKey(key); err == nil && public.Verify(s.signed, s.signature) == nil {
			return nil
		}
	}
	return fmt.Errorf("%w: nobody of that name signed it", ErrDamaged)
}
