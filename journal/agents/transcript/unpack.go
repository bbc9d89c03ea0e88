package transcript

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Compressed is the ending of the names of files that an agent compressed with zstd.
const Compressed = ".zst"

const (
	maxWindow   = 64 << 20 // bytes of memory for a decompression
	maxUnpacked = 4 << 30  // bytes of decompressed content: longer than any session
)

var errTooLong = errors.New("more than 4 GiB")

// unpacked decompresses rows as a stream. At damaged content it ends with a row that describes the damage and is not JSON, so that the
// rows before the damage are read. It is not safe for concurrent use.
type unpacked struct {
	dec  *zstd.Decoder
	left int64     // bytes that the content may still have
	end  io.Reader // the text after the readable rows; nil while there are more of them
	err  error     // the damage, nil if none was found so far
}

// unpack returns the decompressed content of in.
func unpack(in io.Reader) (io.ReadCloser, error) {
	dec, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return &unpacked{dec: dec, left: maxUnpacked}, nil
}

// Read implements io.Reader. Its only error is io.EOF.
func (u *unpacked) Read(b []byte) (int, error) {
	if u.end != nil {
		return u.end.Read(b)
	}
	n, err := u.dec.Read(b)
	u.left -= int64(n)
	switch {
	case err == io.EOF:
		u.end = strings.NewReader("")
	case err != nil:
		u.endWithDamage(err)
	case u.left < 0:
		u.endWithDamage(errTooLong)
	}
	return n, nil
}

// endWithDamage ends the rows with one that describes the damage.
func (u *unpacked) endWithDamage(err error) {
	u.err = err
	u.end = strings.NewReader("\ndamaged: " + err.Error() + "\n")
}

// Close implements io.Closer.
func (u *unpacked) Close() error {
	u.dec.Close()
	return nil
}
