package opencode

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	"journal/journal/agents/transcript"
	"journal/journal/disk"
)

// database reads a SQLite file as of the newest commit in the write-ahead log beside it. It takes no lock and writes
// nothing; the client's own library would write to both. The files can contain anything: every walk is bounded by the
// number of pages. It is not safe for concurrent use.
type database struct {
	file, log *os.File // log is nil if there is none
	page      int64    // bytes of a page
	usable    uint64   // usable bytes of a page
	pages     int64    // in both files, including damaged ones
	newest    map[uint32]int64
	before    []byte // the mark at opening, to detect rewritten files
}

// Limits of a readable database.
const (
	maxRecord = 64 << 20 // bytes of a row
	maxDepth  = 20       // of a tree; SQLite's own limit
)

var (
	errDatabase = transcript.Unfit("no database of OpenCode, or a damaged one")
	errChanged  = transcript.Unfit("the client wrote to it meanwhile: import it again")
)

// openDatabase opens the file at path. Only regular files are opened.
func openDatabase(path string) (*database, error) {
	file, info, err := disk.Open(path)
	if err != nil {
		return nil, err
	}
	d := &database{file: file, newest: map[uint32]int64{}}
	var head [100]byte
	if _, err := file.ReadAt(head[:], 0); err != nil || !bytes.HasPrefix(head[:], []byte(magic)) {
		d.Close()
		return nil, errDatabase
	}
	if d.page = int64(binary.BigEndian.Uint16(head[16:])); d.page == 1 {
		d.page = 1 << 16
	}
	d.usable = uint64(d.page) - uint64(head[20])
	if d.page < 512 || d.page&(d.page-1) != 0 || d.usable < 480 || head[59] != 1 { // 1 is UTF-8
		d.Close()
		return nil, errDatabase
	}
	d.pages = info.Size() / d.page
	if log, info, err := disk.Open(path + "-wal"); err == nil {
		d.log, d.pages = log, d.pages+info.Size()/d.page
		d.readLog()
	}
	d.before = d.mark()
	return d, nil
}

const magic = "SQLite format 3\x00"

// Close closes both files.
func (d *database) Close() error {
	if d.log != nil {
		d.log.Close()
	}
	return d.file.Close()
}

// mark returns a value that changes when the client moves logged pages into the file, or restarts its log. Additions to
// the log do no harm.
func (d *database) mark() []byte {
	var mark [32 + 16]byte
	if d.log != nil {
		_, _ = d.log.ReadAt(mark[:32], 0) // a missing log is a mark too
	}
	if info, err := d.file.Stat(); err == nil {
		binary.BigEndian.PutUint64(mark[32:], uint64(info.Size()))
		binary.BigEndian.PutUint64(mark[40:], uint64(info.ModTime().UnixNano()))
	}
	return mark[:]
}

// unchanged returns an error if the files changed while they were read.
func (d *database) unchanged() error {
	if !bytes.Equal(d.mark(), d.before) {
		return errChanged
	}
	return nil
}

// readLog finds the newest committed copy of each page, as far as the log's checksums hold.
func (d *database) readLog() {
	in := bufio.NewReaderSize(io.NewSectionReader(d.log, 0, 1<<62), 1<<20)
	head, frame := make([]byte, 32), make([]byte, 24+d.page)
	if _, err := io.ReadFull(in, head); err != nil {
		return
	}
	order := binary.ByteOrder(binary.LittleEndian)
	switch binary.BigEndian.Uint32(head) {
	case 0x377f0682:
	case 0x377f0683:
		order = binary.BigEndian
	default:
		return
	}
	sum := checksum{order: order}
	sum.add(head[:24])
	open := map[uint32]int64{} // not committed yet
	for at := int64(32); sum.is(head[24:]) || at > 32; at += int64(len(frame)) {
		if _, err := io.ReadFull(in, frame); err != nil || !bytes.Equal(frame[8:16], head[16:24]) {
			return // from an older log
		}
		sum.add(frame[:8])
		sum.add(frame[24:])
		if !sum.is(frame[16:24]) {
			return
		}
		open[binary.BigEndian.Uint32(frame)] = at + 24
		if binary.BigEndian.Uint32(frame[4:]) == 0 {
			continue
		}
		maps.Copy(d.newest, open)
		clear(open)
	}
}

// checksum is the running checksum of a log.
type checksum struct {
	order binary.ByteOrder
	a, b  uint32
}

func (c *checksum) add(words []byte) {
	for ; len(words) >= 8; words = words[8:] {
		c.a += c.order.Uint32(words) + c.b
		c.b += c.order.Uint32(words[4:]) + c.a
	}
}

func (c *checksum) is(stored []byte) bool {
	return binary.BigEndian.Uint32(stored) == c.a && binary.BigEndian.Uint32(stored[4:]) == c.b
}

// read returns page n, from 1.
func (d *database) read(n uint32) ([]byte, error) {
	b := make([]byte, d.page)
	in, at := d.file, (int64(n)-1)*d.page
	if logged, ok := d.newest[n]; ok {
		in, at = d.log, logged
	}
	if _, err := in.ReadAt(b, max(at, 0)); errors.Is(err, io.EOF) || n == 0 {
		return nil, errDatabase
	} else if err != nil {
		return nil, err
	}
	return b, nil
}

// place is the position of a row: its page, and its offset in the page.
type place uint64

// rows calls take with the place of each row of the table whose root is page n.
func (d *database) rows(n uint32, take func(place) error) error {
	left := d.pages
	var walk func(n uint32, depth int) error
	walk = func(n uint32, depth int) error {
		if left--; left < 0 || depth > maxDepth {
			return errDatabase // a cycle
		}
		b, err := d.read(n)
		if err != nil {
			return err
		}
		head := b
		if n == 1 {
			head = b[100:]
		}
		inner, cells := head[0] == 5, head[8:]
		if inner {
			cells = head[12:]
		} else if head[0] != 13 {
			return errDatabase
		}
		count := int(binary.BigEndian.Uint16(head[3:]))
		if 2*count > len(cells) {
			return errDatabase
		}
		for i := range count {
			at := int(binary.BigEndian.Uint16(cells[2*i:]))
			switch {
			case !inner:
				err = take(place(n)<<16 | place(at))
			case at+4 > len(b):
				err = errDatabase
			default:
				err = walk(binary.BigEndian.Uint32(b[at:]), depth+1)
			}
			if err != nil {
				return err
			}
		}
		if inner {
			return walk(binary.BigEndian.Uint32(head[8:]), depth+1)
		}
		return nil
	}
	return walk(n, 0)
}

// record returns the first bytes of a row, up to most, and its size.
func (d *database) record(at place, most uint64) (b []byte, size uint64, err error) {
	page, err := d.read(uint32(at >> 16))
	if err != nil {
		return nil, 0, err
	}
	cell := page[min(uint64(at&0xffff), d.usable):d.usable]
	size, cell = varint(cell)
	_, cell = varint(cell) // the row's number
	if size > maxRecord {
		return nil, 0, errDatabase
	}
	here := size
	if whole := d.usable - 35; size > whole {
		least := (d.usable-12)*32/255 - 23
		if here = least + (size-least)%(d.usable-4); here > whole {
			here = least
		}
	}
	if uint64(len(cell)) < here || here < size && uint64(len(cell)) < here+4 {
		return nil, 0, errDatabase
	}
	b, cell = slices.Clone(cell[:here]), cell[here:]
	for most = min(most, size); uint64(len(b)) < most; cell = page[:d.usable] {
		if page, err = d.read(binary.BigEndian.Uint32(cell)); err != nil {
			return nil, 0, err
		}
		b = append(b, page[4:min(d.usable, 4+size-uint64(len(b)))]...)
	}
	return b, size, nil
}

// fields returns the columns of a row: text, and numbers as stored; columns beyond b are empty.
func fields(b []byte) (all []string) {
	head, types := varint(b)
	if head > uint64(len(b)) || len(types) < len(b)-int(head) {
		return nil
	}
	types, b = types[:len(types)-(len(b)-int(head))], b[head:]
	for len(types) > 0 {
		var kind uint64
		kind, types = varint(types)
		size := kind
		switch {
		case kind >= 12:
			size = (kind - 12) / 2
		case kind >= 8:
			size = 0
		case kind >= 5:
			size = min(8, 2*kind-4)
		}
		if size > uint64(len(b)) {
			break
		}
		all, b = append(all, string(b[:size])), b[size:]
	}
	return all
}

// number returns the value of an integer column.
func number(field string) (n int64) {
	for i := range len(field) {
		n = n<<8 | int64(field[i])
	}
	return n
}

// varint removes a number from b and returns it: 0 if there is none.
func varint(b []byte) (n uint64, rest []byte) {
	for i, c := range b {
		if i == 8 {
			return n<<8 | uint64(c), b[9:]
		}
		if n = n<<7 | uint64(c&0x7f); c < 0x80 {
			return n, b[i+1:]
		}
	}
	return 0, nil
}

// table is the root page of a table, and the index of each column.
type table struct {
	root    uint32
	columns map[string]int
}

// of returns a column of a row, empty if the table has no such column.
func (t table) of(row []string, name string) string {
	if i, ok := t.columns[name]; ok && i < len(row) {
		return row[i]
	}
	return ""
}

// tables returns the tables of the database.
func (d *database) tables() (map[string]table, error) {
	all := map[string]table{}
	err := d.rows(1, func(at place) error {
		b, _, err := d.record(at, maxRecord)
		row := fields(b) // type, name, table, root, SQL
		if err != nil || len(row) != 5 || row[0] != "table" {
			return err
		}
		one := table{uint32(number(row[3])), map[string]int{}}
		_, columns, _ := strings.Cut(row[4], "(")
		for i, column := range strings.Split(columns, ",") {
			if words := strings.Fields(column); len(words) > 0 {
				one.columns[strings.Trim(words[0], "`\"[]")] = i
			}
		}
		all[row[1]] = one
		return nil
	})
	return all, err
}
