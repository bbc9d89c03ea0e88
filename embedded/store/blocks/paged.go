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

// A paged file consists of pages, of which the last may be shorter, an end and a footer. The end has the kind, the length of all pages,
// their checksums and the tail. The footer has the end's length, and the checksum of both. Numbers are little endian.
const (
	pageSize   = 2 << 10
	sumBytes   = 8
	lengthSize = 8
	footerSize = lengthSize + sumBytes
	maxEnd     = 1 << 30 // bound of the end, in bytes
	maxPages   = 1 << 10 // most pages in memory
)

// pagesKey is the key of all checksums. It makes them differ from those of other files.
var pagesKey = [highwayhash.Size]byte([]byte("pages of what follows from a log"))

// ErrUnusable is returned for a file of another kind, and for a file that was replaced or damaged.
var ErrUnusable = errors.New("unusable file")

// PagedFile holds data derived from the log. Its kind names the data and their version; a file of another kind is unusable. A page is read,
// and its checksum verified, when it is used. Files are not mapped into memory: truncating a mapped file kills its readers. Reading a page
// opens the file, which stays open until Close. PagedFile is not safe for concurrent use.
type PagedFile struct {
	path  string
	size  int64  // of all pages
	sums  []byte // of the pages
	pages [maxPages]page
	f     *os.File // nil: closed
	err   error    // see Err
}

// page is a page in memory.
type page struct {
	n     int64 // number, from 1; 0 for none
	bytes []byte
}

// OpenPaged opens a file of a kind, and returns its tail. The error is ErrUnusable, or that of opening the file.
func OpenPaged(path, kind string) (*PagedFile, []byte, error) {
	f, fi, err := disk.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	end := fi.Size() - footerSize
	var footer [footerSize]byte
	if _, err := f.ReadAt(footer[:], end); err != nil {
		return nil, nil, unusable(err)
	}
	n := binary.LittleEndian.Uint64(footer[:])
	if n > uint64(min(end, maxEnd)) {
		return nil, nil, ErrUnusable
	}
	b := make([]byte, n+lengthSize)
	if _, err := f.ReadAt(b, end-int64(n)); err != nil {
		return nil, nil, unusable(err)
	}
	body := end - int64(n)
	sums := (body + pageSize - 1) / pageSize * sumBytes
	head := header(kind, body)
	if string(sum(b)) != string(footer[lengthSize:]) || int64(n) < int64(len(head))+sums || string(b[:len(head)]) != head {
		return nil, nil, ErrUnusable
	}
	b = b[len(head):n]
	return &PagedFile{path: path, size: body, sums: b[:sums:sums]}, b[sums:], nil
}

func unusable(err error) error { return fmt.Errorf("%w: %w", ErrUnusable, err) }

// header returns the beginning of a file's end: the kind and the length of all pages.
func header(kind string, size int64) string {
	return string(binary.LittleEndian.AppendUint64([]byte(kind+"\n"), uint64(size)))
}

func sum(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(nil, highwayhash.Sum64(b, pagesKey[:]))
}

// Len returns the length of all pages, in bytes.
func (f *PagedFile) Len() int64 { return f.size }

// Err returns ErrUnusable if the file is damaged. Uint32 has then returned zeros.
func (f *PagedFile) Err() error { return f.err }

// Close closes the file. Reading a page opens it again.
func (f *PagedFile) Close() {
	if f.f != nil {
		f.f.Close()
		f.f = nil
	}
}

// Fail makes Err return ErrUnusable with a reason, unless there is an error already. Callers use it for inconsistent content.
func (f *PagedFile) Fail(reason error) {
	if f.err != nil {
		return
	}
	f.err = unusable(reason)
}

// Uint32 returns the number at an offset that is a multiple of four, 0 after an error (Err).
func (f *PagedFile) Uint32(offset int64) uint32 {
	b := f.pageFrom(offset)
	if len(b) < 4 {
		f.Fail(io.ErrUnexpectedEOF)
		return 0
	}
	return binary.LittleEndian.Uint32(b)
}

// ReadAt implements io.ReaderAt on the pages.
func (f *PagedFile) ReadAt(b []byte, offset int64) (n int, err error) {
	for n < len(b) {
		rest := f.pageFrom(offset + int64(n))
		if len(rest) == 0 {
			return n, errors.Join(f.err, io.EOF)
		}
		n += copy(b[n:], rest)
	}
	return n, nil
}

// pageFrom returns the bytes from an offset to the end of its page. It returns nil after the last page, and after an error (Err).
func (f *PagedFile) pageFrom(offset int64) []byte {
	if offset < 0 || offset >= f.size || f.err != nil {
		return nil
	}
	n := offset / pageSize
	p := &f.pages[n%maxPages]
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

// read reads the page with a number, from 0, and checks it.
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
	if highwayhash.Sum64(p.bytes, pagesKey[:]) != binary.LittleEndian.Uint64(f.sums[n*sumBytes:]) {
		return fmt.Errorf("the checksum of page %d does not hold", n)
	}
	return nil
}

// WritePaged replaces the file at path by a file of a kind. fill writes the content of the pages and returns the tail. Readers see either
// the old file or the whole new file. The file is not synced: after a power cut its checksums may be wrong. Only one process may write a
// path.
func WritePaged(path, kind string, fill func(io.Writer) (tail []byte, err error)) error {
	return disk.ReplaceBy(path, func(to io.Writer) error {
		w := &pageWriter{to: bufio.NewWriterSize(to, 32*pageSize)}
		tail, err := fill(w)
		if err != nil {
			return err
		}
		w.seal()
		writeEnd(w.to, kind, w.size, w.sums, tail)
		return w.to.Flush()
	})
}

// WithoutPages returns the content of a file of a kind that has only a tail.
func WithoutPages(kind string, tail []byte) []byte {
	var b bytes.Buffer
	writeEnd(&b, kind, 0, nil, tail)
	return b.Bytes()
}

// writeEnd writes the part after the pages. to must keep its error for the caller.
func writeEnd(to io.Writer, kind string, size int64, sums, tail []byte) {
	hash, _ := highwayhash.New64(pagesKey[:]) // the key has the right size
	both, n := io.MultiWriter(to, hash), uint64(0)
	for _, b := range [][]byte{[]byte(header(kind, size)), sums, tail} {
		_, _ = both.Write(b)
		n += uint64(len(b))
	}
	_, _ = both.Write(binary.LittleEndian.AppendUint64(nil, n))
	_, _ = to.Write(binary.LittleEndian.AppendUint64(nil, hash.Sum64()))
}

// pageWriter divides what is written into pages.
type pageWriter struct {
	to   *bufio.Writer // keeps its first error, which Flush returns
	page []byte        // the page that is being filled
	size int64         // of the pages before it
	sums []byte        // of the pages before it
}

func (w *pageWriter) Write(b []byte) (n int, err error) {
	for n < len(b) {
		part := b[n:min(len(b), n+pageSize-len(w.page))]
		w.page, n = append(w.page, part...), n+len(part)
		if len(w.page) == pageSize {
			w.seal()
		}
	}
	return n, nil
}

// seal ends a page.
func (w *pageWriter) seal() {
	if len(w.page) > 0 {
		w.sums = append(w.sums, sum(w.page)...)
		w.size += int64(len(w.page))
		_, _ = w.to.Write(w.page)
		w.page = w.page[:0]
	}
}
