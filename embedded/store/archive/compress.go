package archive

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// chunk is how much of a segment is compressed as one zstd frame: a flipped bit
// costs at most these records, and a larger one compresses hardly better.
const chunk = 256 << 10

var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

var encoder = sync.OnceValues(func() (*zstd.Encoder, error) {
	return zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithWindowSize(chunk), zstd.WithLowerEncoderMem(true))
})

var decoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxFile), zstd.WithDecoderLowmem(true))
})

// compress packs the content of an open segment, chunks ending where records do. The header is one by itself, because it may
// be written again.
func compress(raw []byte) ([]byte, error) {
	enc, err := encoder()
	if err != nil {
		return nil, fmt.Errorf("compress archive segment: %w", err)
	}
	out := enc.EncodeAll(raw[:headerSize], make([]byte, 0, len(raw)/3))
	start, at := headerSize, headerSize
	for at < len(raw) {
		at += frameHead + int(binary.LittleEndian.Uint32(raw[at:]))
		if at-start >= chunk || at >= len(raw) {
			out = enc.EncodeAll(raw[start:at], out)
			start = at
		}
	}
	return out, nil
}

// expand is the inverse. Content that is not whole is taken apart at what looks
// like the beginning of a chunk, and gives the chunks that are; zstd's own
// checksum and those of the frames decide. size is what a whole one says it
// expands to. complete says that nothing was left
// out.
func expand(b []byte, whole bool, size uint64) (raw []byte, complete bool) {
	dec, err := decoder()
	if err != nil {
		return nil, false
	}
	if whole {
		raw, err = dec.DecodeAll(b, make([]byte, 0, min(size, maxFile)))
		if err == nil {
			return raw, true
		}
	}
	raw = nil
	var starts []int
	for at := 0; ; {
		i := bytes.Index(b[at:], zstdMagic)
		if i < 0 {
			break
		}
		starts = append(starts, at+i)
		at += i + 1
	}
	starts = append(starts, len(b))
	complete = starts[0] == 0
	for i := 0; i+1 < len(starts); {
		next := i + 1
		var got []byte
		// The magic can occur by chance within a chunk, hardly ever twice.
		for j := i + 1; j < len(starts) && j <= i+3; j++ {
			if out, err := dec.DecodeAll(b[starts[i]:starts[j]], nil); err == nil {
				got, next = out, j
				break
			}
		}
		if len(raw)+len(got) > maxFile {
			return raw, false
		}
		complete = complete && got != nil
		raw = append(raw, got...)
		i = next
	}
	return raw, complete
}
