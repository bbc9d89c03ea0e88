package archive

import (
	"bytes"
	"encoding/binary"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// chunk is the number of bytes from which whole records of a segment are compressed as one zstd frame; the last frame may have fewer. A
// flipped bit destroys one frame. Larger frames compress hardly better.
const chunk = 256 << 10

// zstdMagic begins every zstd frame.
var zstdMagic = []byte{0x28, 0xB5, 0x2F, 0xFD}

// encoder compresses with checksums. It and decoder are made without an error, which only impossible options cause.
var encoder = sync.OnceValue(func() *zstd.Encoder {
	e, _ := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderCRC(true), zstd.WithWindowSize(chunk), zstd.WithLowerEncoderMem(true))
	return e
})

var decoder = sync.OnceValue(func() *zstd.Decoder {
	d, _ := zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(maxFile), zstd.WithDecoderLowmem(true))
	return d
})

// compress compresses the content of a segment in chunks of whole records. The header is a chunk of its own, so that it can be read alone.
func compress(raw []byte) []byte {
	out := encoder().EncodeAll(raw[:headerSize], make([]byte, 0, len(raw)/3))
	start, end := headerSize, headerSize
	for end < len(raw) {
		end += frameHead + int(binary.LittleEndian.Uint32(raw[end:]))
		if end-start >= chunk || end >= len(raw) {
			out = encoder().EncodeAll(raw[start:end], out)
			start = end
		}
	}
	return out
}

// expand decompresses the content of a segment. whole is true if the checksum of the file holds; size is then the decompressed size.
// Otherwise expand splits the content at every possible beginning of a chunk, and returns the chunks with a valid checksum. complete is
// true if nothing is missing.
func expand(b []byte, whole bool, size uint64) (raw []byte, complete bool) {
	if whole {
		if raw, err := decoder().DecodeAll(b, make([]byte, 0, min(size, maxFile))); err == nil {
			return raw, true
		}
	}
	var starts []int
	for offset := 0; ; {
		i := bytes.Index(b[offset:], zstdMagic)
		if i < 0 {
			break
		}
		starts = append(starts, offset+i)
		offset += i + 1
	}
	starts = append(starts, len(b))
	complete = starts[0] == 0
	for i := 0; i+1 < len(starts); {
		next := i + 1
		var got []byte
		// zstdMagic can occur by chance within a chunk, but hardly ever more than twice.
		for j := i + 1; j < len(starts) && j <= i+3; j++ {
			if out, err := decoder().DecodeAll(b[starts[i]:starts[j]], nil); err == nil {
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
