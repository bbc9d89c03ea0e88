package blocks

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/minio/highwayhash"

	"journal/journal/disk"
)

// A file consists of pages, the last one shorter; the kind, the length of all pages, their checksums and the tail; the length
// of these, and their checksum. Numbers are little endian.
const (
	pageSize    = 2 << 10
	pageSumSize = 8
	endSize     = 8 + pageSumSize
	maxTail     = 1 << 30
	held        = 1 << 10 // pages in memory at most
)

var pagesKey = [highwayhash.Size]byte([]byte("pages of what follows from a log"))

// ErrUnusable is returned for a file of another kind, or one that was replaced or damaged.
var ErrUnusable = errors.New("unusable file")

// PagedFile holds data derived from the log. Its kind names the data and their version; a file of another kind is unusable. Each page
// has a checksum, which is checked when the page is read, so only used pages are in memory. Files are not mapped: truncating a mapped
// file kills its readers. Reading a page opens the file, until Close. It is not safe for concurrent use.
type PagedFile struct {
	path  string
	size  int64
	sums  []byte
	pages [held]page
	f     *os.File
	err   error
}

type page struct {
	n     int64 // number, from 1
	bytes []byte
}

// OpenPaged reads the tail of a file of a kind. The error is ErrUnusable, or that of reading the file.
func OpenPaged(path, kind string) (*PagedFile, []byte, error) {
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
	sums := (body + pageSize - 1) / pageSize * pageSumSize
	head := header(kind, body)
	if string(sum(b)) != string(last[8:]) || int64(n) < int64(len(head))+sums || string(b[:len(head)]) != head {
		return nil, nil, ErrUnusable
	}
	b = b[len(head):n]
	return &PagedFile{path: path, size: body, sums: b[:sums:sums]}, b[sums:], nil
}

func unusable(err error) error { return fmt.Errorf("%w: %w", ErrUnusable, err) }

func header(kind string, size int64) string {
	return string(binary.LittleEndian.AppendUint64([]byte(kind+"\n"), uint64(size)))
}

func sum(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(nil, highwayhash.Sum64(b, pagesKey[:]))
}

// Len returns the length of all pages, in bytes.
func (f *PagedFile) Len() int64 { return f.size }

// Err returns ErrUnusable if the file is damaged. Reads have then returned zeros.
func (f *PagedFile) Err() error { return f.err }

// Close closes the file. Reading a page opens it again.
func (f *PagedFile) Close() {
	if f.f != nil {
		f.f.Close()
		f.f = nil
	}
}

// Fail marks the file as unusable, because its content makes no sense. The first call counts.
func (f *PagedFile) Fail(err error) {
	if f.err != nil {
		return
	}
	f.err = unusable(err)
}

// Uint32 returns the number at an offset that is a multiple of four, 0 after an error (Err).
func (f *PagedFile) Uint32(offset int64) uint32 {
	b := f.from(offset)
	if len(b) < 4 {
		f.Fail(io.ErrUnexpectedEOF)
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// ReadAt implements io.ReaderAt on the pages.
func (f *PagedFile) ReadAt(b []byte, offset int64) (n int, err error) {
	for n < len(b) {
		rest := f.from(offset + int64(n))
		if len(rest) == 0 {
			return n, errors.Join(f.err, io.EOF)
		}
		n += copy(b[n:], rest)
	}
	return n, nil
}

// from returns the rest of a page from an offset, nil after the end or an error (Err).
func (f *PagedFile) from(offset int64) []byte {
	if offset < 0 || offset >= f.size || f.err != nil {
		return nil
	}
	n := offset / pageSize
	p := &f.pages[n%held]
	if p.n != n+1 {
		p.n = 0
		if err := f.read(p, n); err != nil {
			f.Fail(err)
			return nil
		}
		p.n = n + 1
	}
	return p.bytes[offset%pageSize:]
}

func (f *PagedFile) read(p *page, n int64) (err error) {
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
	if highwayhash.Sum64(p.bytes, pagesKey[:]) != binary.LittleEndian.Uint64(f.sums[n*pageSumSize:]) {
		return fmt.Errorf("the checksum of page %d does not hold", n)
	}
	return nil
}

// WritePaged replaces the file at path by one of a kind. fill writes its pages and returns its tail. The file is renamed when it is
// complete, so no reader sees a part of it. It is not synced: after a power cut its checksums may be wrong. Only one process may
// write a path.
func WritePaged(path, kind string, fill func(io.Writer) (tail []byte, err error)) error {
	return disk.ReplaceBy(path, 0o600, func(to io.Writer) error {
		w := &pageWriter{to: bufio.NewWriterSize(to, 32*pageSize)}
		tail, err := fill(w)
		if err != nil {
			return err
		}
		w.seal()
		finish(w.to, kind, w.size, w.sums, tail)
		return w.to.Flush()
	})
}

// WholePaged returns the bytes of a file of a kind without pages, for files with several writers.
func WholePaged(kind string, tail []byte) []byte {
	var b bytes.Buffer
	finish(&b, kind, 0, nil, tail)
	return b.Bytes()
}

// finish writes the part after the pages. The caller gets errors from the writer.
func finish(to io.Writer, kind string, size int64, sums, tail []byte) {
	hash, _ := highwayhash.New64(pagesKey[:]) // the key has the right size
	both, n := io.MultiWriter(to, hash), uint64(0)
	for _, b := range [][]byte{[]byte(header(kind, size)), sums, tail} {
		_, _ = both.Write(b)
		n += uint64(len(b))
	}
	_, _ = both.Write(binary.LittleEndian.AppendUint64(nil, n))
	_, _ = to.Write(binary.LittleEndian.AppendUint64(nil, hash.Sum64()))
}

// pageWriter writes pages.
type pageWriter struct {
	to   *bufio.Writer
	page []byte
	size int64
	sums []byte
}

func (w *pageWriter) Write(b []byte) (n int, err error) {
	for n < len(b) {
		part := b[n:min(len(b), n+pageSize-len(w.page))]
		w.page, n = append(w.page, part...), n+len(part)
		if len(w.page) == pageSize {
			w.seal()
		}
	}
	return n, nil // Flush returns the error
}

// seal ends a page.
func (w *pageWriter) seal() {
	if len(w.page) > 0 {
		w.sums = append(w.sums, sum(w.page)...)
		w.size += int64(len(w.page))
		_, _ = w.to.Write(w.page) // Flush returns the error
		w.page = w.page[:0]
	}
}
