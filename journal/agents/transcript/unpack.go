package transcript

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/zstd"
)

// Compressed ends the names of files that an agent compressed with zstd.
const Compressed = ".zst"

const (
	maxWindow   = 64 << 20 // bytes of memory of a decompression
	maxUnpacked = 4 << 30  // bytes: longer than any session
)

var errUnpacked = errors.New("more than 4 GiB")

// unpacked reads compressed rows as a stream. Where the content is damaged, it ends with a row that is no JSON and names the damage:
// the rows before are read. It is not safe for concurrent use.
type unpacked struct {
	from *zstd.Decoder
	left int64
	end  io.Reader // what follows the readable rows; nil before
	err  error     // the damage
}

func unpack(in io.Reader) (io.ReadCloser, error) {
	from, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxWindow))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	return &unpacked{from: from, left: maxUnpacked}, nil
}

// Read implements io.Reader. Its only error is io.EOF.
func (u *unpacked) Read(b []byte) (int, error) {
	if u.end != nil {
		return u.end.Read(b)
	}
	n, err := u.from.Read(b)
	u.left -= int64(n)
	switch {
	case err == io.EOF:
		u.end = strings.NewReader("")
	case err != nil:
		u.damaged(err)
	case u.left < 0:
		u.damaged(errUnpacked)
	}
	return n, nil
}

// damaged ends the rows where the content is damaged.
func (u *unpacked) damaged(err error) {
	u.err = err
	u.end = strings.NewReader("\ndamaged: " + err.Error() + "\n")
}

// Close implements io.Closer.
func (u *unpacked) Close() error {
	u.from.Close()
	return nil
}
