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
	"strings"

	"journal/journal/disk"
)

// Names makes the names of a stream's files durable while a server writes to it. The server syncs what
// it writes into a block, and neither the directories that it makes nor the name of a new block: POSIX
// lets a power cut take these, and with them all that was acknowledged (J.1). It is not for concurrent
// use.
type Names struct {
	stream Stream
	last   int // newest block that has a durable name; 0 until somebody looked
}

// Names makes the one of the stream.
func (s Stream) Names() *Names { return &Names{stream: s} }

// Sync returns when every block that is there has a durable name, and so has every directory above it
// up to that of the store. The first call syncs all of these directories, others look for the
// block after the newest, which takes 1 µs.
func (n *Names) Sync() error {
	msgs := filepath.Join(n.stream.Dir, blockDir)
	dirs := []string{msgs}
	if n.last == 0 {
		// msgs, NAME, streams, the account's, jetstream, the store's
		for dir := n.stream.Dir; len(dirs) < 6; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	} else if there, err := exists(n.path(n.last + 1)); !there {
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

func (n *Names) path(index int) string {
	return filepath.Join(n.stream.Dir, blockDir, strconv.Itoa(index)+blockEnd)
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// Damage is a place of a stream that is not as it was written.
type Damage struct {
	First, Last uint64 // sequences that cannot be read; 0, 0 for what concerns none
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

// Summary is what a scan found.
type Summary struct {
	Stream      string
	Blocks      int
	Bytes       int64  // of the blocks
	Records     uint64 // that can be read
	First, Last uint64 // of those; 0, 0 for none
	Damage      []Damage
	// Torn is how many bytes stand after the last good record of the last block
	// and are no whole record: a write that a kill or a power cut interrupted, or
	// the end of what was lost. Only the remembered head can tell the two apart.
	Torn int64
	// Interrupted says that the only damage is in the newest record, whose length is right and
	// whose checksum is not: as a power cut leaves what it interrupted, where a file system
	// makes a file longer before it writes the bytes. The record may have been acknowledged.
	Interrupted bool
	// Unknown says what this program does not know of the format; then nothing was
	// judged.
	Unknown string
}

// filter is a subject with wildcards: "*" matches one token, a final ">" one or more.
type filter struct {
	prefix string   // up to the first wildcard
	rest   []string // the tokens from there on
}

func newFilter(s string) filter {
	tokens := strings.Split(s, ".")
	for i, t := range tokens {
		if t == "*" || t == ">" {
			prefix := strings.Join(tokens[:i], ".")
			if i > 0 {
				prefix += "."
			}
			return filter{prefix, tokens[i:]}
		}
	}
	return filter{prefix: s}
}

// names says whether the filter matches a subject.
func (f filter) names(subject string) bool {
	rest, ok := strings.CutPrefix(subject, f.prefix)
	if !ok || len(f.rest) == 0 {
		return ok && rest == ""
	}
	for _, want := range f.rest[:len(f.rest)-1] {
		token, after, more := strings.Cut(rest, ".")
		if !more || want != "*" && want != token {
			return false
		}
		rest = after
	}
	switch last := f.rest[len(f.rest)-1]; last {
	case ">":
		return true
	case "*":
		return !strings.Contains(rest, ".")
	default:
		return rest == last
	}
}

// mayEnd says whether a subject that ends so can match: what the filter has after its
// last wildcard has to be its end.
func (f filter) mayEnd(end string) bool {
	if len(f.rest) == 0 {
		return strings.HasSuffix(f.prefix, end)
	}
	after := len(f.rest)
	for after > 0 && f.rest[after-1] != "*" && f.rest[after-1] != ">" {
		after--
	}
	last := strings.Join(f.rest[after:], ".")
	return strings.HasSuffix(end, last) || strings.HasSuffix(last, end)
}

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
