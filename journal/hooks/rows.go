package hooks

import (
	"bufio"
	"errors"
	"io"
	"os"
)

// longestRow bounds a transcript's row that is looked at. Real ones have up to
// 63 KB (CLIENTS part 1 section 5), and those with images are longer.
const longestRow = 8 << 20

// eachRow hands the rows of a transcript to take, which keeps none of them, until it
// wants no more. Of a row that is too long take gets a beginning, which is no JSON.
func eachRow(r io.Reader, take func(row []byte) (more bool)) error {
	in := bufio.NewReaderSize(r, 64<<10)
	var row []byte
	for {
		part, err := in.ReadSlice('\n')
		if len(row)+len(part) <= longestRow {
			row = append(row, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return err
		}
		if !take(row) || err != nil {
			return nil
		}
		row = row[:0]
	}
}

// openTranscript opens a regular file and tells its size in bytes. What is none of
// that kind is an error, for opening a pipe can wait for ever.
func openTranscript(path string) (*os.File, int64, error) {
	fi, err := os.Stat(path)
	if err != nil {
		return nil, 0, err
	}
	if !fi.Mode().IsRegular() {
		return nil, 0, errors.New("transcript is not a file")
	}
	f, err := os.Open(path)
	return f, fi.Size(), err
}
