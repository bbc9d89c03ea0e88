package blocks

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/vmihailenco/msgpack/v5"

	"journal/journal/disk"
)

// indexKind is the kind of the file of an index. Its pages hold the numbers and texts of a table. With the file an owner need not read the
// whole store at its start, which takes 0.35 s for a million messages.
const indexKind = "journal index 5"

// indexTail is the tail of the file, as msgpack.
type indexTail struct {
	Stream             string
	First              uint64 // sequence of the first message
	Blocks             []savedBlock
	Sum                []byte // checksum of the last message's record, as the store has it
	Messages, Subjects uint32
	Kinds              []endGroup // the subjects, grouped by their ends
}

// savedBlock is an indexed block. End is the offset after its last message.
type savedBlock struct {
	Number int
	First  uint64
	End    int64
}

// Save writes the index to its file if the index has at least `least` messages more than the file. The file is only a cache. Only the owner
// of the store may call Save.
func (r *Reader) Save(least uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == "" || r.index == nil || r.index.last() < r.saved+max(least, 1) {
		return nil
	}
	err := WritePaged(r.file, indexKind, r.index.write)
	if errors.Is(err, ErrUnusable) { // the old file, which is copied, was removed or damaged
		r.index = nil
		return nil
	}
	if err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	r.opened = 0
	r.load() // frees the memory of the messages that are in the file now
	return nil
}

// maxOpens bounds how often the file is opened between two calls of Save. It is more than 1, because a file that became unusable may have
// been replaced by a good one.
const maxOpens = 2

// load sets r.index to the index in the file or, if the file is unusable, to an empty one.
func (r *Reader) load() {
	r.index, r.saved = newIndex(r.stream), 0
	if r.file == "" || r.opened >= maxOpens {
		return
	}
	r.opened++
	file, tail, err := OpenPaged(r.file, indexKind)
	if err != nil {
		return
	}
	if x, err := decodeIndex(r.stream, file, tail); err == nil {
		r.index, r.saved = x, x.last()
	}
}

// write writes the table of all messages in the index, and returns the tail.
func (x *index) write(w io.Writer) (tail []byte, err error) {
	defer x.saved.close()
	if x.first == 0 {
		return nil, ErrUnusable
	}
	sum, err := x.lastSum()
	if err != nil {
		return nil, err
	}
	err = errors.Join(x.saved.offsets.copyTo(w), writeAll(w, x.offsets))
	starts, ends := make([]uint32, 1, len(x.subjects)+1), make([]uint32, 0, len(x.subjects))
	length := 0
	var groups []endGroup
	for subject, found := range x.merged {
		err = errors.Join(err, found.saved.copyTo(w), writeAll(w, found.after))
		if _, end := splitSubject(subject); len(groups) == 0 || groups[len(groups)-1].End != end {
			groups = append(groups, endGroup{End: end})
		}
		groups[len(groups)-1].To = len(ends) + 1
		length += len(subject)
		starts = append(starts, starts[len(ends)]+uint32(found.saved.n+len(found.after)))
		ends = append(ends, uint32(length))
	}
	err = errors.Join(err, writeAll(w, starts), writeAll(w, ends))
	for subject := range x.merged {
		_, writeErr := io.WriteString(w, subject)
		err = errors.Join(err, writeErr)
	}
	if err = errors.Join(err, x.saved.err()); err == nil && length > math.MaxUint32 {
		err = ErrUnusable
	}
	t := indexTail{Stream: x.stream.Name, First: x.first, Sum: sum, Messages: uint32(x.len()), Subjects: uint32(len(ends)), Kinds: groups}
	for _, k := range x.blocks {
		t.Blocks = append(t.Blocks, savedBlock{k.index, k.first, k.end})
	}
	tail, encodeErr := msgpack.Marshal(t)
	return tail, errors.Join(err, encodeErr)
}

// writeAll writes numbers.
func writeAll(w io.Writer, all []uint32) error {
	var b []byte
	for chunk := range slices.Chunk(all, 1<<12) {
		b = b[:0]
		for _, n := range chunk {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// lastSum returns the stored checksum of the last message in the index. It identifies the log.
func (x *index) lastSum() ([]byte, error) {
	all, err := x.locate([]uint32{uint32(x.len() - 1)})
	if err != nil {
		return nil, err
	}
	last := all[0]
	f, _, err := disk.Open(last.in.path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer f.Close()
	var window []byte
	if err := readRange(f, &window, last.from, last.to); err != nil {
		return nil, err
	}
	if len(window) < minimum || lengthOf(window) != len(window) || sequence(window) != last.seq {
		return nil, errMismatch
	}
	return window[len(window)-sumSize:], nil
}

// decodeIndex returns the index in a file, after comparing it with the store. The error is ErrUnusable or ErrUnreadable.
func decodeIndex(s Stream, file *PagedFile, tail []byte) (*index, error) {
	var t indexTail
	x := newIndex(s)
	if msgpack.Unmarshal(tail, &t) != nil || t.Stream != s.Name || t.First == 0 || len(t.Blocks) == 0 || t.Messages == 0 {
		return nil, ErrUnusable
	}
	x.first = t.First
	if err := x.open(t.Blocks); err != nil {
		return nil, err
	}
	if !x.saved.open(file, t) {
		return nil, ErrUnusable
	}
	defer x.saved.close()
	if sum, err := x.lastSum(); err != nil || !bytes.Equal(sum, t.Sum) || x.saved.err() != nil {
		return nil, errors.Join(ErrUnusable, err)
	}
	return x, nil
}

// open locates the parts of a table in its file, and reports whether they are consistent.
func (t *table) open(file *PagedFile, tail indexTail) bool {
	part := func(n uint32) (p numbers) { // the next n numbers; t.text is then the offset behind them
		p = numbers{file, t.text, int(n)}
		t.text += 4 * int64(n)
		return p
	}
	t.file, t.offsets, t.messages = file, part(tail.Messages), part(tail.Messages)
	t.starts, t.ends, t.groups = part(tail.Subjects+1), part(tail.Subjects), tail.Kinds
	before := 0
	for _, g := range t.groups {
		if g.To <= before || g.To > int(tail.Subjects) {
			return false
		}
		before = g.To
	}
	return before == int(tail.Subjects) && t.text <= file.Len()
}

// close closes the file. The next read opens it again.
func (t *table) close() {
	if t.file != nil {
		t.file.Close()
	}
}

// err returns ErrUnusable if the file is damaged.
func (t *table) err() error {
	if t.file == nil {
		return nil
	}
	return t.file.Err()
}

// open adds the blocks of a saved index, which must be the first ones of the store.
func (x *index) open(saved []savedBlock) error {
	all, err := x.stream.readable()
	if err != nil {
		return err
	}
	if len(saved) > len(all) {
		return ErrUnusable
	}
	for i, k := range saved {
		if b := all[i]; k.Number != b.index || k.End > b.size || k.End < 0 {
			return ErrUnusable
		}
		x.blocks = append(x.blocks, &indexedBlock{all[i], k.First, k.End})
	}
	return nil
}
