package record

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// ErrNewer is returned for a message that a later program compressed, with a
// dictionary that this one does not have.
var ErrNewer = errors.New("message is compressed with a dictionary of a newer program; upgrade journal")

// ErrPacked is returned for a compressed message that does not decompress.
var ErrPacked = errors.New("compressed message is damaged")

// EncodingHeader and Encoding mark a compressed message for readers with a NATS client. This module recognises such a
// message by its first bytes, with which no msgpack map begins.
const (
	EncodingHeader = "Content-Encoding"
	Encoding       = "zstd"
)

// maxShort is the greatest length in bytes of a message that is not compressed: short
// messages are mostly ids, which do not compress (ADR-0050).
const maxShort = 256

// maxPlain bounds the decompressed size of a message, in bytes. It is twice events.MaxBytes,
// and the largest message that the server accepts.
const maxPlain = 1 << 20

// window bounds the distance, in bytes, of repetitions that are found in a message, and in the dictionary before it.
const window = 64 << 10

// magic begins every zstd frame.
var magic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// dictionaries has one file for each dictionary ever used, named by the id that stands in the
// zstd frames of its messages. The dictionary with the highest id is in use. Never change or remove
// a file: add one, and raise the format of journal directories (embedded/records.go).
//
//go:embed dictionaries/*.zdict
var dictionaries embed.FS

// Dictionary is the id of the dictionary that messages are compressed with. Ids are
// from the range that the zstd format leaves to private use (RFC 8878 §6.1).
const Dictionary = 32769

// longFrom is the length in bytes from which a message is also entropy coded. Entropy coding makes long messages a quarter
// shorter, but a reader needs a microsecond for the tables of the code: five times as long as for all else of a short message.
const longFrom = 1024

// The encoders and the decoder are made when first needed: each takes 0.2 ms.
var (
	shortEncoder = sync.OnceValues(func() (*zstd.Encoder, error) { return newEncoder(zstd.WithNoEntropyCompression(true)) })
	longEncoder  = sync.OnceValues(func() (*zstd.Encoder, error) { return newEncoder() })
	decoder      = sync.OnceValues(newDecoder)
)

// Prepare makes the encoder and the decoder for messages of usual length. A process that will need them calls it on a
// goroutine while it does something else.
func Prepare() {
	r := Record{ID: "prepare", Data: bytes.Repeat([]byte{' '}, maxShort+1)}
	if data, _, err := r.Pack(); err == nil {
		r.Data = data
		_, _ = r.Unpack() // a later call reports the error
	}
}

// newEncoder makes an encoder of the fastest level: the next one saves 4 % more, and takes
// twice the time and ten times the memory. It adds no checksum, because each copy of the
// log has its own.
func newEncoder(o ...zstd.EOption) (*zstd.Encoder, error) {
	current, err := dictionaries.ReadFile(fmt.Sprintf("dictionaries/%d.zdict", Dictionary))
	if err != nil {
		return nil, err
	}
	return zstd.NewWriter(nil, append(o, zstd.WithEncoderDict(current), zstd.WithEncoderLevel(zstd.SpeedFastest),
		zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(false), zstd.WithWindowSize(window), zstd.WithLowerEncoderMem(true))...)
}

// newDecoder makes a decoder that knows every dictionary.
func newDecoder() (*zstd.Decoder, error) {
	names, err := fs.Glob(dictionaries, "dictionaries/*.zdict")
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, name := range names {
		b, err := dictionaries.ReadFile(name)
		if err != nil {
			return nil, err
		}
		all = append(all, b)
	}
	return zstd.NewReader(nil, zstd.WithDecoderDicts(all...), zstd.WithDecoderConcurrency(0),
		zstd.WithDecoderMaxMemory(maxPlain), zstd.WithDecoderLowmem(true))
}

// Pack returns the data of a record as the log stores it, and whether it is compressed.
// A record without an id is not an event and stays as it is. It is safe for concurrent use.
func (r Record) Pack() (data []byte, packed bool, err error) {
	ambiguous := bytes.HasPrefix(r.Data, magic) // no event begins so; compressed in any case, so that Unpack restores the data
	if r.ID == "" || len(r.Data) <= maxShort && !ambiguous {
		return r.Data, false, nil
	}
	encoder := shortEncoder
	if len(r.Data) >= longFrom {
		encoder = longEncoder
	}
	enc, err := encoder()
	if err != nil {
		return nil, false, fmt.Errorf("compress: %w", err)
	}
	data = enc.EncodeAll(r.Data, make([]byte, 0, len(r.Data)))
	if len(data) >= len(r.Data) && !ambiguous {
		return r.Data, false, nil
	}
	return data, true, nil
}

// Packed reports whether the data of a record in a copy of the log is compressed.
func (r Record) Packed() bool { return r.ID != "" && bytes.HasPrefix(r.Data, magic) }

// Unpack returns a record, as a copy of the log stores it, with its data as it was before
// Pack: the encoded event. Decompressed data is new memory. With an error, such as ErrNewer or
// ErrPacked, the record is returned unchanged. Unpack is safe for concurrent use.
func (r Record) Unpack() (Record, error) {
	if !r.Packed() {
		return r, nil
	}
	dec, err := decoder()
	if err != nil {
		return r, fmt.Errorf("decompress: %w", err)
	}
	data, err := dec.DecodeAll(r.Data, nil)
	switch {
	case errors.Is(err, zstd.ErrUnknownDictionary):
		return r, fmt.Errorf("#%d: %w", r.Seq, ErrNewer)
	case err != nil:
		return r, fmt.Errorf("#%d: %w: %v", r.Seq, ErrPacked, err)
	}
	r.Data = data[:len(data):len(data)]
	return r, nil
}
