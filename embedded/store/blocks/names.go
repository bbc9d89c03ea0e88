package blocks

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"journal/journal/disk"
)

// DirSyncer makes the names of a stream's files durable while a server writes to it. The server syncs the content of a block, but
// neither new directories nor the name of a new block: a power cut may remove these, and with them acknowledged messages (J.1). It is
// not safe for concurrent use.
type DirSyncer struct {
	stream Stream
	last   int // newest block with a durable name; 0 before the first Sync
}

// DirSyncer returns the DirSyncer of the stream.
func (s Stream) DirSyncer() *DirSyncer { return &DirSyncer{stream: s} }

// Sync makes the names of all blocks durable, and of their directories up to that of the store. The first call syncs all of these
// directories; later ones look for the block after the newest, which takes 1 µs.
func (n *DirSyncer) Sync() error {
	msgs := filepath.Join(n.stream.Dir, blockDir)
	dirs := []string{msgs}
	if n.last == 0 {
		// msgs, NAME, streams, the account's, jetstream, the store's
		for dir := n.stream.Dir; len(dirs) < 6; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	} else if _, err := os.Lstat(n.path(n.last + 1)); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	all, err := n.stream.blocks()
	for _, dir := range dirs {
		err = errors.Join(err, disk.SyncDir(dir))
	}
	if err != nil {
		return fmt.Errorf("make the names of the store durable: %w", err)
	}
	if len(all) > 0 {
		n.last = all[len(all)-1].index
	}
	return nil
}

func (n *DirSyncer) path(index int) string {
	return filepath.Join(n.stream.Dir, blockDir, strconv.Itoa(index)+blockEnd)
}

// Damage is a part of a stream that was changed or lost after it was written.
type Damage struct {
	First, Last uint64 // sequences that cannot be read; 0, 0 for none
	File        string // name below the stream's directory, with slashes
	Offset      int64  // in the file
	What        string
}

func (d Damage) String() string {
	switch {
	case d.First == 0:
		return fmt.Sprintf("%s: %s", d.File, d.What)
	case d.First == d.Last:
		return fmt.Sprintf("#%d: %s at byte %d: %s", d.First, d.File, d.Offset, d.What)
	}
	return fmt.Sprintf("#%d to #%d: %s at byte %d: %s", d.First, d.Last, d.File, d.Offset, d.What)
}

// Summary is the result of a scan.
type Summary struct {
	Stream      string
	Blocks      int
	Bytes       int64  // of the blocks
	Records     uint64 // good ones
	First, Last uint64 // of the good ones; 0, 0 if there are none
	Damage      []Damage
	// Torn is the number of bytes after the last good record of the last block that form no whole record: an interrupted write,
	// or lost records. Only the remembered head distinguishes the two.
	Torn int64
	// Interrupted is true if the only damage is a wrong checksum of the newest record, whose length is right. A power cut leaves
	// that on file systems that extend a file before they write the bytes. The record may have been acknowledged.
	Interrupted bool
	// Unknown describes the unknown part of the format. If it is set, nothing was checked.
	Unknown string
}

// windowSize is the size of the part of a block that is in memory at a time, unless a record is larger. leastWindow is enough for
// short reads.
const (
	windowSize  = 1 << 20
	leastWindow = 64 << 10
)

// walk calls each with the records of a block from an offset on, until each returns false. It relies on the lengths in their
// heads, and does not check checksums. It returns the offset after the last whole record.
func (b block) walk(ctx context.Context, window *[]byte, from int64, each func(offset int64, record []byte) bool) (end int64, err error) {
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
			if !each(offset, rest[:size:size]) {
				return from, nil
			}
			rest = rest[size:]
			size = lengthOf(rest)
		}
		switch {
		case err != nil: // the file ends here
			return from, nil
		case from > start:
		case size > len(*window):
			*window = make([]byte, size)
		default:
			return from, nil
		}
	}
}

// readAt reads a range of a block into the window.
func readAt(f *os.File, window *[]byte, from, to int64) error {
	*window = slices.Grow((*window)[:0], int(to-from))[:to-from]
	if _, err := f.ReadAt(*window, from); err != nil {
		return fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	return nil
}

// first returns the sequence of a block's first record.
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

// subjectOf returns the subject of a record from walk, nil if it has none.
func subjectOf(record []byte) []byte {
	n := int(binary.LittleEndian.Uint16(record[20:]))
	if headSize+n > len(record)-sumSize {
		return nil
	}
	return record[headSize : headSize+n]
}
