package hooks

import (
	"bufio"
	"errors"
	"io"
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
