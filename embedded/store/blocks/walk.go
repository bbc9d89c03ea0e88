package blocks

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"journal/journal/disk"
)

// windowSize is how much of a block is in memory at a time, unless a record is
// larger. Of what is shorter there is no more than leastWindow.
const (
	windowSize  = 1 << 20
	leastWindow = 64 << 10
)

// walk gives each record of a block from an offset on, as the lengths in their heads say, whether their checksums hold
// or not, until each returns false. It gives the offset after the last one. What follows is not a whole record.
func (b block) walk(ctx context.Context, window *[]byte, from int64, each func(at int64, record []byte) bool) (end int64, err error) {
	f, fi, err := disk.Open(b.path)
	if err != nil {
		return from, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer f.Close()
	if n := min(windowSize, max(leastWindow, int(fi.Size()-from))); len(*window) < n {
		*window = make([]byte, n)
	}
	for {
		if err := ctx.Err(); err != nil {
			return from, err
		}
		n, err := f.ReadAt(*window, from)
		if err != nil && !errors.Is(err, io.EOF) {
			return from, fmt.Errorf("%w: %w", ErrUnreadable, err)
		}
		rest := (*window)[:n]
		if from == 0 && compressed(rest) {
			return from, fmt.Errorf("%w: %s is compressed", ErrUnreadable, b.name)
		}
		began := from
		size := lengthOf(rest)
		for size > 0 && size <= len(rest) && plausible(rest) {
			at := from
			from += int64(size)
			if !each(at, rest[:size:size]) {
				return from, nil
			}
			rest = rest[size:]
			size = lengthOf(rest)
		}
		switch {
		case err != nil: // the file ends here
			return from, nil
		case from > began:
		case size > len(*window):
			*window = make([]byte, size)
		default:
			return from, nil
		}
	}
}

// readAt reads a stretch of a block into the window.
func readAt(f *os.File, window *[]byte, from, to int64) error {
	*window = slices.Grow((*window)[:0], int(to-from))[:to-from]
	if _, err := f.ReadAt(*window, from); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return nil
}

// first gives the sequence of a block's first record.
func (b block) first() (uint64, error) {
	f, _, err := disk.Open(b.path)
	if err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer f.Close()
	var head [headSize]byte
	if _, err := f.ReadAt(head[:], 0); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	if !plausible(head[:]) {
		return 0, fmt.Errorf("%w: the head of %s", ErrUnreadable, b.name)
	}
	return sequence(head[:]), nil
}

// subjectOf gives the subject in a record that walk gave, nil for none.
func subjectOf(record []byte) []byte {
	n := int(binary.LittleEndian.Uint16(record[20:]))
	if headSize+n > len(record)-sumSize {
		return nil
	}
	return record[headSize : headSize+n]
}
