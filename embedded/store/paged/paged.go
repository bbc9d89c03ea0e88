// Package paged keeps what follows from a log in files that are asked for a few bytes of many: each page has a checksum,
// which is compared when the page is read, so that no more of a file is in memory than is used. Files are not mapped:
// whoever cuts a mapped file ends the processes that look at it.
package paged

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/minio/highwayhash"

	"journal/journal/disk"
)

// A file is: pages, the last one shorter; what Write calls the tail, behind its kind, the length of all pages and the checksum
// of each; the length of that, and its checksum. Numbers are little endian.
const (
	pageSize = 2 << 10
	sumSize  = 8
	endSize  = 8 + sumSize
	maxTail  = 64 << 20
	held     = 1 << 10 // pages in memory at most
)

var key = [highwayhash.Size]byte([]byte("pages of what follows from a log"))

// ErrUnusable is returned for a file that is none, is another one by now, or is not as it was written.
var ErrUnusable = errors.New("unusable file")

// File is such a file. It is opened when a page is read, until Close. It is not safe for concurrent use.
type File struct {
	path  string
	size  int64
	sums  []byte
	pages [held]page
	f     *os.File
	err   error
}

type page struct {
	n     int64 // its number, from 1
	bytes []byte
}

// Open reads the tail of a file of a kind. The error is ErrUnusable, or that of reading the file.
func Open(path, kind string) (*File, []byte, error) {
	f, fi, err := disk.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	end := fi.Size() - endSize
	var last [endSize]byte
	if _, err := f.ReadAt(last[:], end); err != nil {
		return nil, nil, unusable(err)
	}
	n := binary.LittleEndian.Uint64(last[:])
	if n > uint64(min(end, maxTail)) {
		return nil, nil, ErrUnusable
	}
	b := make([]byte, n+8, n+endSize)
	if _, err := f.ReadAt(b, end-int64(n)); err != nil {
		return nil, nil, unusable(err)
	}
	body := end - int64(n)
	sums := (body + pageSize - 1) / pageSize * sumSize
	head := header(kind, body)
	if string(sum(b)) != string(last[8:]) || int64(n) < int64(len(head))+sums || string(b[:len(head)]) != head {
		return nil, nil, ErrUnusable
	}
	b = b[len(head):n]
	return &File{path: path, size: body, sums: b[:sums:sums]}, b[sums:], nil
}

func unusable(err error) error { return fmt.Errorf("%w: %w", ErrUnusable, err) }

func header(kind string, size int64) string {
	return string(binary.LittleEndian.AppendUint64([]byte(kind+"\n"), uint64(size)))
}

func sum(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(nil, highwayhash.Sum64(b, key[:]))
}

// Len is how many bytes the pages hold.
func (f *File) Len() int64 { return f.size }

// Err is what was wrong with the file, once anything was: then zeros were given. The error is ErrUnusable.
func (f *File) Err() error { return f.err }

// Close closes the file until a page is read again.
func (f *File) Close() {
	if f.f != nil {
		f.f.Close()
		f.f = nil
	}
}

// Fail makes the file one that is not as it was written: what it says does not fit.
func (f *File) Fail(why error) {
	if f.err == nil {
		f.err = unusable(why)
	}
}

// Uint32 gives a number at a multiple of four, 0 where Err says why.
func (f *File) Uint32(at int64) uint32 {
	b := f.from(at)
	if len(b) < 4 {
		f.Fail(io.ErrUnexpectedEOF)
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// ReadAt is io.ReaderAt of the pages.
func (f *File) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		some := f.from(at + int64(n))
		if len(some) == 0 {
			return n, errors.Join(f.err, io.EOF)
		}
		n += copy(b[n:], some)
	}
	return n, nil
}

// from gives what of a page lies from a place on, nothing behind the end or where Err says why.
func (f *File) from(at int64) []byte {
	if at < 0 || at >= f.size || f.err != nil {
		return nil
	}
	n := at / pageSize
	p := &f.pages[n%held]
	if p.n != n+1 {
		p.n = 0
		if err := f.read(p, n); err != nil {
			f.Fail(err)
			return nil
		}
		p.n = n + 1
	}
	return p.bytes[at%pageSize:]
}

func (f *File) read(p *page, n int64) (err error) {
	if f.f == nil {
		if f.f, _, err = disk.Open(f.path); err != nil {
			return err
		}
	}
	if p.bytes == nil {
		p.bytes = make([]byte, pageSize)
	}
	p.bytes = p.bytes[:min(f.size-n*pageSize, pageSize)]
	if _, err := f.f.ReadAt(p.bytes, n*pageSize); err != nil {
		return err
	}
	if highwayhash.Sum64(p.bytes, key[:]) != binary.LittleEndian.Uint64(f.sums[n*sumSize:]) {
		return fmt.Errorf("page %d is not as it was written", n)
	}
	return nil
}

// Write puts a file of a kind, which fill writes and gives the tail of, in the place of what is at path: it is written aside and
// renamed, so that no reader sees a part of it. It is not synced: after a power cut its checksums do not hold. Only one process
// may write a path.
func Write(path, kind string, fill func(io.Writer) (tail []byte, err error)) error {
	return disk.ReplaceBy(path, 0o600, func(to io.Writer) error {
		w := &writer{to: bufio.NewWriterSize(to, 32*pageSize)}
		tail, err := fill(w)
		if err != nil {
			return err
		}
		w.seal()
		b := append(append([]byte(header(kind, w.size)), w.sums...), tail...)
		b = binary.LittleEndian.AppendUint64(b, uint64(len(b)))
		_, _ = w.to.Write(append(b, sum(b)...)) // Flush says it
		return w.to.Flush()
	})
}

// writer writes pages.
type writer struct {
	to   *bufio.Writer
	page []byte
	size int64
	sums []byte
}

func (w *writer) Write(b []byte) (n int, err error) {
	for n < len(b) {
		some := b[n:min(len(b), n+pageSize-len(w.page))]
		w.page, n = append(w.page, some...), n+len(some)
		if len(w.page) == pageSize {
			w.seal()
		}
	}
	return n, nil // the end of Write says it
}

// seal ends a page.
func (w *writer) seal() {
	if len(w.page) > 0 {
		w.sums = append(w.sums, sum(w.page)...)
		w.size += int64(len(w.page))
		_, _ = w.to.Write(w.page) // Flush says it
		w.page = w.page[:0]
	}
}
