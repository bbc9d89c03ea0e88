package testutil

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Holding lists the files below a directory that contain a text, plain or compressed with zstd. It skips files that cannot be read
// or are removed meanwhile.
func Holding(dir, text string) (found []string, err error) {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if errors.Is(err, fs.ErrNotExist) || err == nil && d.IsDir() {
			return nil
		}
		if b, readErr := os.ReadFile(path); readErr == nil && holds(r, b, []byte(text)) {
			found = append(found, path)
		}
		return err
	})
	return found, err
}

// holds reports whether b contains a text, plain or compressed.
func holds(r *zstd.Decoder, b, text []byte) bool {
	if bytes.Contains(b, text) {
		return true
	}
	magic := []byte{0x28, 0xB5, 0x2F, 0xFD} // at the beginning of compressed bytes
	for i := bytes.Index(b, magic); i >= 0; i = bytes.Index(b, magic) {
		b = b[i:]
		if r.Reset(bytes.NewReader(b)) != nil {
			return false
		}
		if plain, _ := io.ReadAll(r); bytes.Contains(plain, text) { // an error means that other bytes follow the compressed ones
			return true
		}
		b = b[len(magic):]
	}
	return false
}
