package blocks

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"journal/embedded/store/paged"
	"journal/journal/disk"
)

// An index in a file is what a table consists of, and a tail: name of the stream, sequence of the first message,
// blocks with their number, first sequence and end, checksum of the last record, how many messages and subjects there are, and
// the subjects that end alike. Numbers are little endian, lists and texts have their length before them.
// It saves reading the whole store when an owner starts: at a million messages 0.35 s
// (docs/PERFORMANCE.md).
const indexKind = "journal index 4"

// errIndex is returned for a file that is not an index of the stream as it is now.
var errIndex = paged.ErrUnusable

// Save writes the index to its file when it knows at least so many messages more
// than the file. Nobody has to: the file is a cache. Only the owner of the store
// may call it.
func (r *Reader) Save(least uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == "" || r.index == nil || r.index.last() < r.saved+max(least, 1) {
		return nil
	}
	err := paged.Write(r.file, indexKind, r.index.write)
	if errors.Is(err, errIndex) { // what it says of before: somebody took the file away, or damaged it
		r.index = nil
		return nil
	}
	if err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	r.looked = 0
	r.load() // what was saved is no longer held in memory
	return nil
}

// maxLooks is how often a file is begun with that is not as it was written: it may have been replaced.
const maxLooks = 2

// load begins with what is in the file, or with nothing.
func (r *Reader) load() {
	r.index, r.saved = newIndex(r.stream), 0
	if r.file == "" || r.looked >= maxLooks {
		return
	}
	r.looked++
	file, tail, err := paged.Open(r.file, indexKind)
	if err != nil {
		return
	}
	if x, err := decodeIndex(r.stream, file, tail); err == nil {
		r.index, r.saved = x, x.last()
	}
}

// write writes what a table of all that the index knows consists of, and gives the tail.
func (x *index) write(w io.Writer) (tail []byte, err error) {
	defer x.saved.close()
	if x.first == 0 {
		return nil, errIndex
	}
	sum, err := x.lastSum()
	if err != nil {
		return nil, err
	}
	err = errors.Join(x.saved.offsets.copyTo(w), writeAll(w, x.offsets))
	starts, ends := make([]uint32, 1, len(x.leaves)+1), make([]uint32, 0, len(x.leaves))
	length, kinds := 0, 0
	var ofKinds []byte
	last := "" // end of the subject before
	for subject, of := range x.merged {
		err = errors.Join(err, of.saved.copyTo(w), writeAll(w, of.after))
		if _, end := parted(subject); len(ends) == 0 || end != last {
			if kinds++; kinds > 1 {
				ofKinds = appendLength(ofKinds, len(ends))
			}
			ofKinds, last = appendText(ofKinds, end), end
		}
		length += len(subject)
		starts = append(starts, starts[len(ends)]+uint32(of.saved.n+len(of.after)))
		ends = append(ends, uint32(length))
	}
	err = errors.Join(err, writeAll(w, starts), writeAll(w, ends))
	for subject := range x.merged {
		_, writeErr := io.WriteString(w, subject)
		err = errors.Join(err, writeErr)
	}
	if err = errors.Join(err, x.saved.err()); err == nil && length > math.MaxUint32 {
		err = errIndex
	}
	b := appendText(nil, x.stream.Name)
	b = binary.LittleEndian.AppendUint64(b, x.first)
	b = appendLength(b, len(x.blocks))
	for _, k := range x.blocks {
		b = appendLength(b, k.index)
		b = binary.LittleEndian.AppendUint64(b, k.first)
		b = binary.LittleEndian.AppendUint64(b, uint64(k.end))
	}
	b = append(b, sum...)
	b = appendLength(appendLength(b, x.len()), len(ends))
	return append(appendLength(b, kinds), appendLength(ofKinds, len(ends))...), err
}

// writeAll writes numbers.
func writeAll(w io.Writer, all []uint32) error {
	var b []byte
	for some := range slices.Chunk(all, 1<<12) {
		b = b[:0]
		for _, n := range some {
			b = binary.LittleEndian.AppendUint32(b, n)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	return nil
}

// lastSum gives the checksum of the last message in the index, as it is stored: it
// tells this log from another one.
func (x *index) lastSum() ([]byte, error) {
	hits, err := x.at([]uint32{uint32(x.len() - 1)})
	if err != nil {
		return nil, err
	}
	h := hits[0]
	f, _, err := disk.Open(h.in.path)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnreadable, err)
	}
	defer f.Close()
	var window []byte
	if err := readAt(f, &window, h.from, h.to); err != nil {
		return nil, err
	}
	if len(window) < minimum || lengthOf(window) != len(window) || sequence(window) != h.seq {
		return nil, errMisfit
	}
	return window[len(window)-sumSize:], nil
}

// decodeIndex reads the tail of an index and compares it with the store. The error is errIndex
// or ErrUnreadable.
func decodeIndex(s Stream, file *paged.File, tail []byte) (*index, error) {
	d := decoder{rest: tail}
	x := newIndex(s)
	if d.text() != s.Name {
		return nil, errIndex
	}
	x.first = d.long()
	if err := x.decodeBlocks(&d); err != nil {
		return nil, err
	}
	last := d.take(sumSize)
	fits := x.saved.decode(&d, file)
	if d.bad || len(d.rest) > 0 || x.first == 0 || len(x.blocks) == 0 || x.len() == 0 || !fits {
		return nil, errIndex
	}
	defer x.saved.close()
	if is, err := x.lastSum(); err != nil || !bytes.Equal(is, last) || x.saved.err() != nil {
		return nil, errors.Join(errIndex, err)
	}
	return x, nil
}

// decode finds the parts of a table in its file. It is false when they do not fit each other.
func (t *table) decode(d *decoder, file *paged.File) bool {
	messages, subjects := int64(d.number()), int64(d.number())
	part := func(n int64) (p numbers) {
		p = numbers{file, t.text, int(n)}
		t.text += 4 * n
		return p
	}
	t.file, t.offsets, t.holds = file, part(messages), part(messages)
	t.starts, t.ends = part(subjects+1), part(subjects)
	before := 0
	for range d.number() {
		k := kind{end: d.text(), to: int(d.number())}
		if d.bad || k.to <= before || int64(k.to) > subjects {
			return false
		}
		t.kinds, before = append(t.kinds, k), k.to
	}
	return before == int(subjects) && t.text <= file.Len()
}

// close closes the file until something is asked of it.
func (t *table) close() {
	if t.file != nil {
		t.file.Close()
	}
}

// err is errIndex when the file is not as it was written.
func (t *table) err() error {
	if t.file == nil {
		return nil
	}
	return t.file.Err()
}

// decodeBlocks reads the blocks of an index, which have to be those of the store.
func (x *index) decodeBlocks(d *decoder) error {
	n := d.number()
	all, err := x.stream.readable()
	if err != nil {
		return err
	}
	if uint64(n) > uint64(len(all)) {
		return errIndex
	}
	for _, b := range all[:n] {
		k := &indexedBlock{block: b}
		number := d.number()
		k.first, k.end = d.long(), int64(d.long())
		if int(number) != b.index || k.end > b.size || k.end < 0 {
			return errIndex
		}
		x.blocks = append(x.blocks, k)
	}
	return nil
}

func appendLength(b []byte, n int) []byte { return binary.LittleEndian.AppendUint32(b, uint32(n)) }

func appendText(b []byte, s string) []byte {
	return append(appendLength(b, len(s)), s...)
}

// decoder takes an index apart. Once it is bad it gives zeros.
type decoder struct {
	rest []byte
	bad  bool
}

func (d *decoder) take(n int) []byte {
	if d.bad || n < 0 || n > len(d.rest) {
		d.bad = true
		return nil
	}
	b := d.rest[:n]
	d.rest = d.rest[n:]
	return b
}

func (d *decoder) number() uint32 {
	if b := d.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (d *decoder) long() uint64 {
	if b := d.take(8); b != nil {
		return binary.LittleEndian.Uint64(b)
	}
	return 0
}

func (d *decoder) text() string { return string(d.take(int(d.number()))) }
