package blocks

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"journal/journal/disk"
)

// maxBlock is the size of the largest file that scan reads, in bytes. A block of the server has at most 8 MiB and one more record.
const maxBlock = 64 << 20

// inspection is the result of scanning one block.
type inspection struct {
	block   block
	content []byte
	records []recordInfo
	gaps    []gap
	torn    int64  // number of bytes after the last good record
	fault   string // why the block could not be read
	err     error  // error of reading, if the cause is the machine and not the file; fault is set too
	unknown string // why the block's format is unknown
}

// gap is a range of unreadable bytes before a good record.
type gap struct {
	offset int
	next   int // index in records of the good record after it
}

// scan reads a block. It reuses the memory of an earlier result, which may be the zero value.
func (s Stream) scan(b block, earlier inspection) inspection {
	r := inspection{block: b, records: earlier.records[:0]}
	if b.encrypted() {
		r.unknown = b.name + " is encrypted"
		return r
	}
	var err error
	if r.content, err = disk.ReadInto(earlier.content, b.path, maxBlock); err != nil {
		r.fault = unreadable(err)
		if disk.Transient(err) {
			r.err = err
		}
		return r
	}
	if compressed(r.content) {
		r.unknown = b.name + " is compressed"
		return r
	}
	h := s.recordHash(b)
	gapStart := -1 // offset of the current gap, -1 for none
	for offset := 0; offset < len(r.content); {
		rest := r.content[offset:]
		// In a gap a record may begin at any byte, so most bytes are ruled out without a checksum.
		if gapStart >= 0 && (len(rest) < minimum || !plausible(rest)) {
			offset++
			continue
		}
		rec, ok := recordAt(rest, h)
		if !ok {
			if gapStart < 0 {
				gapStart = offset
			}
			offset++
			continue
		}
		if gapStart >= 0 {
			r.gaps = append(r.gaps, gap{gapStart, len(r.records)})
			gapStart = -1
		}
		rec.offset = offset
		r.records = append(r.records, rec)
		offset += rec.length
	}
	if gapStart >= 0 {
		r.torn = int64(len(r.content) - gapStart)
	}
	return r
}

// endsInRecord reports whether the torn end of a block begins with a record of full length and a wrong checksum, not with a part of a
// record. Such a record may have been acknowledged.
func (r inspection) endsInRecord() bool {
	if r.torn == 0 {
		return false
	}
	rest := r.content[len(r.content)-int(r.torn):]
	n := lengthOf(rest)
	return n > 0 && n <= len(rest) && plausible(rest)
}

// endsInZeros reports whether the torn end consists of zeros, which a power cut leaves after the last write.
func (r inspection) endsInZeros() bool {
	return len(bytes.TrimLeft(r.content[len(r.content)-int(r.torn):], "\x00")) == 0
}

// windowSize is the size of the part of a block that is in memory at a time, unless a record is larger. A smaller block needs a smaller
// window, of at least leastWindow.
const (
	windowSize  = 1 << 20
	leastWindow = 64 << 10
)

// walk calls visit with the records of a block from an offset on, until visit returns false. It trusts the lengths in the records' heads,
// and does not verify checksums. It ends without an error at bytes that are no record. end is the offset after the last visited record.
// window is memory that calls reuse; it grows when a record needs it.
func (b block) walk(ctx context.Context, window *[]byte, from int64, visit func(offset int64, raw []byte) bool) (end int64, err error) {
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
		start := from
		size := lengthOf(rest)
		for size > 0 && size <= len(rest) && plausible(rest) {
			offset := from
			from += int64(size)
			if !visit(offset, rest[:size:size]) {
				return from, nil
			}
			rest = rest[size:]
			size = lengthOf(rest)
		}
		switch visited := from > start; {
		case err != nil: // the end of the file
			return from, nil
		case visited:
		case size <= len(*window): // bytes that are no record
			return from, nil
		default:
			*window = make([]byte, size)
		}
	}
}

// readRange reads a range of a block into the window.
func readRange(f *os.File, window *[]byte, from, to int64) error {
	*window = slices.Grow((*window)[:0], int(to-from))[:to-from]
	if _, err := f.ReadAt(*window, from); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return nil
}

// firstSequence returns the sequence of a block's first record.
func (b block) firstSequence() (uint64, error) {
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
