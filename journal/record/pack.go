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

// A compressed message says so in a header, for whoever reads the log with a client
// of NATS. Programs go by its first bytes, which no map of msgpack begins with.
const (
	EncodingHeader = "Content-Encoding"
	Encoding       = "zstd"
)

// packFrom is the length in bytes over which a message is compressed: a shorter one is
// mostly ids, which do not compress (ADR-0050).
const packFrom = 256

// maxPlain bounds what a message decompresses to, in bytes: twice events.MaxBytes,
// which is the most that the server takes.
const maxPlain = 1 << 20

// window is how far back in a message, and in the dictionary before it, what is repeated is found, in bytes.
const window = 64 << 10

// magic is what every frame of zstd begins with.
var magic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// dictionaries holds a file for each dictionary that messages were ever compressed
// with, named by the id that the messages have in their headers. The one with the
// highest id is in use. A file is never changed and never removed: add one, and raise
// the format of journal directories (embedded/records.go).
//
//go:embed dictionaries/*.zdict
var dictionaries embed.FS

// Dictionary is the id of the dictionary that messages are compressed with. Ids are
// from the range that the zstd format leaves to private use (RFC 8878 §6.1).
const Dictionary = 32769

// longFrom is the length in bytes from which what a message says beyond the dictionary
// is coded by its entropy too. That makes long ones a quarter shorter, but the tables of
// the code take a microsecond to read, five times as long as all else of a short one.
const longFrom = 1024

// What packs and unpacks is made when it is first needed: each takes 0.2 ms.
var (
	shortEncoder = sync.OnceValues(func() (*zstd.Encoder, error) { return newEncoder(zstd.WithNoEntropyCompression(true)) })
	longEncoder  = sync.OnceValues(func() (*zstd.Encoder, error) { return newEncoder() })
	decoder      = sync.OnceValues(newDecoder)
)

// Prepare makes what packs and unpacks messages of usual length: for a goroutine of who
// will need it and has something else to do first.
func Prepare() {
	r := Record{ID: "prepare", Data: bytes.Repeat([]byte{' '}, packFrom+1)}
	if data, _, err := r.Pack(); err == nil {
		r.Data = data
		_, _ = r.Unpack() // whoever needs it is told what is wrong
	}
}

// newEncoder makes an encoder of the fastest level: the next one saves 4 % more, takes
// twice the time and ten times the memory. Both copies of the log have checksums of
// their own.
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

// Pack gives the data of a record as the log stores it, and whether that is compressed.
// What has no id is no event and stays as it is. It is safe for concurrent use.
func (r Record) Pack() (data []byte, packed bool, err error) {
	ambiguous := bytes.HasPrefix(r.Data, magic) // no event, but it has to come back as it was
	if r.ID == "" || len(r.Data) <= packFrom && !ambiguous {
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

// Packed says whether the data of a record, as a copy of the log stores it, is
// compressed.
func (r Record) Packed() bool { return r.ID != "" && bytes.HasPrefix(r.Data, magic) }

// Unpack gives a record, as a copy of the log stores it, with its data as it was before
// Pack: the encoded event. Decompressed data is new memory. The error is ErrNewer or
// ErrPacked, for a record that is given as it is. It is safe for concurrent use.
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
