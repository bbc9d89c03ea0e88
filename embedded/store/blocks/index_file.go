package blocks

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/minio/highwayhash"

	"journal/journal/disk"
)

// An index in a file is: magic, name of the stream, sequence of the first message,
// blocks with their number, first sequence and end, checksum of the last record,
// offsets, subjects in the order of a table, how many messages each holds, all that
// they hold, checksum of all that. Numbers are little endian, lists and texts have
// their length before them.
// It saves reading the whole store when an owner starts: at a million messages 0.35 s
// (docs/PERFORMANCE.md).
const indexMagic = "journal index 3\n"

var indexKey = [highwayhash.Size]byte([]byte("the index of a stream, in a file"))

// maxIndex bounds what is read of an index, in bytes: that of 100 million messages.
const maxIndex = 1 << 30

// errIndex is returned for a file that is not an index of the stream as it is now.
var errIndex = errors.New("unusable index")

// Save writes the index to its file when it knows at least so many messages more
// than the file. Nobody has to: the file is a cache. Only the owner of the store
// may call it.
func (r *Reader) Save(least uint64) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.file == "" || r.index == nil || r.index.last() < r.saved+max(least, 1) {
		return nil
	}
	b, err := r.index.encode()
	if err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	// Written aside and renamed, so that no reader sees a part of it. It is not
	// synced: after a power cut its checksum does not hold.
	if err := disk.ReplaceAlone(r.file, b, 0o600); err != nil {
		return fmt.Errorf("save the index: %w", err)
	}
	r.saved = r.index.last()
	return nil
}

// load begins with what is in the file, once, or with nothing.
func (r *Reader) load() {
	r.index = newIndex(r.stream)
	if r.file == "" || r.loaded {
		return
	}
	r.loaded = true
	b, err := disk.ReadFile(r.file, maxIndex)
	if err != nil {
		return
	}
	if x, err := decodeIndex(r.stream, b); err == nil {
		r.index, r.saved = x, x.last()
	}
}

func (x *index) encode() ([]byte, error) {
	if x.first == 0 {
		return nil, errIndex
	}
	sum, err := x.lastSum()
	if err != nil {
		return nil, err
	}
	b := make([]byte, 0, len(indexMagic)+1024+24*len(x.blocks)+8*x.len()+len(x.saved.subjects)+128*len(x.leaves)+4*len(x.saved.ends))
	b = append(b, indexMagic...)
	b = appendText(b, x.stream.Name)
	b = binary.LittleEndian.AppendUint64(b, x.first)
	b = binary.LittleEndian.AppendUint32(b, uint32(len(x.blocks)))
	for _, k := range x.blocks {
		b = binary.LittleEndian.AppendUint32(b, uint32(k.index))
		b = binary.LittleEndian.AppendUint64(b, k.first)
		b = binary.LittleEndian.AppendUint64(b, uint64(k.end))
	}
	b = append(b, sum...)
	b = x.appendTable(b)
	all := highwayhash.Sum64(b, indexKey[:])
	return binary.LittleEndian.AppendUint64(b, all), nil
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

// decodeIndex reads an index and compares it with the store. The error is errIndex
// or ErrUnreadable.
func decodeIndex(s Stream, b []byte) (*index, error) {
	if len(b) < len(indexMagic)+8 || string(b[:len(indexMagic)]) != indexMagic {
		return nil, errIndex
	}
	b, sum := b[:len(b)-8], b[len(b)-8:]
	if highwayhash.Sum64(b, indexKey[:]) != binary.LittleEndian.Uint64(sum) {
		return nil, errIndex
	}
	d := decoder{rest: b[len(indexMagic):]}
	x := newIndex(s)
	if d.text() != s.Name {
		return nil, errIndex
	}
	x.first = d.long()
	if err := x.decodeBlocks(&d); err != nil {
		return nil, err
	}
	last := d.take(sumSize)
	x.saved.offsets, x.saved.subjects = d.numbers(), d.text()
	counts := d.numbers()
	x.saved.holds = d.numbers()
	if d.bad || len(d.rest) > 0 || x.first == 0 || len(x.blocks) == 0 || x.len() == 0 || !x.saved.open(counts) {
		return nil, errIndex
	}
	if is, err := x.lastSum(); err != nil || !bytes.Equal(is, last) {
		return nil, errors.Join(errIndex, err)
	}
	return x, nil
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

func (d *decoder) numbers() numbers {
	n := int64(d.number()) * 4
	if n > math.MaxInt32 {
		d.bad = true
	}
	return numbers(d.take(int(n)))
}
