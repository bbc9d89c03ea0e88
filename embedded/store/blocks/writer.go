package blocks

import (
	"encoding/binary"
	"errors"
	"hash"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"journal/journal/disk"
	"journal/journal/record"
)

const (
	blockBytes = 8 << 20   // most bytes of a block, as for the server, unless it has only one record
	writeBytes = 256 << 10 // least size of a write; of more bytes the first would have left the processor's cache
)

// Writer fills a new stream that no server has open. It writes the bytes that the server would write, many times as fast. The caller syncs
// the files, and lets a server check them. It is not safe for concurrent use.
type Writer struct {
	stream Stream
	time   uint64 // of every record, in ns since 1970
	last   uint64 // sequence of the newest record
	block  block  // being filled; its index is 0 before the first
	file   *os.File
	size   int       // of the block, including buf
	hash   hash.Hash // of the block's records
	buf    []byte    // not written yet
	header []byte    // reused by Put
}

// NewWriter returns a writer for an empty stream. All records get the same time.
func (s Stream) NewWriter(t time.Time) *Writer { return &Writer{stream: s, time: uint64(t.UnixNano())} }

// Put writes a record, whose Data is as stored, at the next sequence, whatever its Seq. It does not retain Data.
func (w *Writer) Put(r record.Record) (err error) {
	header := appendHeader(w.header[:0], r)
	w.header = header
	n := minimum + len(r.Subject) + len(r.Data)
	if len(header) > 0 {
		n += 4 + len(header)
	}
	if w.file == nil || w.size > 0 && w.size+n > blockBytes {
		if err := w.next(); err != nil {
			return err
		}
	}
	start, length := len(w.buf), uint32(n)
	if len(header) > 0 {
		length |= withHeaders
	}
	w.last++
	b := binary.LittleEndian.AppendUint32(w.buf, length)
	b = binary.LittleEndian.AppendUint64(b, w.last)
	b = binary.LittleEndian.AppendUint64(b, w.time)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(r.Subject)))
	b = append(b, r.Subject...)
	content := len(b)
	if len(header) > 0 {
		b = append(binary.LittleEndian.AppendUint32(b, uint32(len(header))), header...)
		content += 4
	}
	b = append(b, r.Data...)
	w.buf = appendChecksum(b, b[start:], content-start, len(r.Subject), w.hash)
	w.size += n
	if len(w.buf) >= writeBytes {
		return w.flush()
	}
	return nil
}

// next begins a block. The first block replaces the empty one that the server created.
func (w *Writer) next() (err error) {
	if err := w.Close(); err != nil {
		return err
	}
	if w.block.index == 0 {
		index := filepath.Join(w.stream.Dir, blockDir, "index.db") // the server's index, which would be wrong
		if err := os.Remove(index); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	w.block = w.stream.block(w.block.index + 1)
	w.size = 0
	w.hash = w.stream.recordHash(w.block)
	w.file, err = disk.OpenFile(w.block.path, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	return err
}

func (w *Writer) flush() error {
	_, err := w.file.Write(w.buf)
	w.buf = w.buf[:0]
	return err
}

// Close completes the last block.
func (w *Writer) Close() error {
	if w.file == nil {
		return nil
	}
	err := errors.Join(w.flush(), w.file.Close())
	w.file = nil
	return err
}

// appendHeader appends the stored headers of a record.
func appendHeader(b []byte, r record.Record) []byte {
	if r.ID == "" {
		return b
	}
	b = append(append(append(b, "NATS/1.0\r\n"+record.IDHeader+": "...), r.ID...), "\r\n"...)
	if r.Packed() {
		b = append(b, record.EncodingHeader+": "+record.Encoding+"\r\n"...)
	}
	return append(b, "\r\n"...)
}
