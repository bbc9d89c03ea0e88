package archive

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"journal/journal/disk"
	"journal/journal/record"
)

// sealAt is the size of the content at which a segment is sealed, in bytes (ADR-0012 rule 8).
const sealAt = 4 << 20

// flushAt is the number of bytes that Append buffers before it writes.
const flushAt = 256 << 10

// Options configures a Writer.
type Options struct {
	SegmentBytes int64 // size of the content at which a segment is sealed, default 4 MiB, at most 32 MiB
	// AtOnce writes each segment once, when it is sealed, and Sync does nothing. It is for an archive that is used only after
	// Close.
	AtOnce bool
}

// Writer appends to the archive of a directory. A directory has one writer at a time, which is not safe for concurrent use. Readers see
// at least the records of the last Sync.
//
// After an error of writing every call returns that error, because the content of the disk is unknown. The caller closes the writer and
// opens another one. ErrOrder, ErrTooLarge and an error of reading another archive (Take) change nothing.
type Writer struct {
	dir      string
	limit    int64        // size of the content at which a segment is sealed
	last     uint64       // sequence of the newest record
	chain    Chain        // after the newest record; the link of its segment if that is sealed
	refused  seal         // seal of the last segment that Take refused
	reopen   *segmentFile // short sealed segment that gets the next record, nil for none
	file     *os.File     // of the open segment, nil if there is none
	first    uint64       // first sequence of the open segment
	size     int64        // size of the open segment's decompressed content, including buf
	buf      []byte       // whole frames that are not written yet
	atOnce   bool         // see Options
	raw      []byte       // with atOnce, the open segment's content before buf; nil if there is none
	linked   bool         // Take has made hard links, whose names are not durable before Close
	repaired *Damage      // see Repaired
	err      error        // the first error; every later call returns it
}

// Last returns the sequence of the newest record, 0 if there is none.
func (w *Writer) Last() uint64 { return w.last }

// Repaired returns the damage that Open cut off an open segment, nil if there was none. Its First is the next sequence to append.
func (w *Writer) Repaired() *Damage { return w.repaired }

// Append adds the next record. It is durable after Sync. The error is ErrOrder for a sequence that is not Last+1. It is ErrTooLarge for a
// record over 16 MiB, or with a subject or an id over 65,535 bytes.
func (w *Writer) Append(r record.Record) error {
	if w.err != nil {
		return w.err
	}
	if r.Seq != w.last+1 {
		return fmt.Errorf("%w: #%d after #%d", ErrOrder, r.Seq, w.last)
	}
	start := len(w.buf)
	buf, err := appendFrame(w.buf, r)
	if err != nil {
		return err
	}
	if w.file == nil && w.raw == nil {
		if err := w.begin(r.Seq); err != nil {
			return w.fail(err)
		}
	}
	w.buf, w.last = buf, r.Seq
	w.chain = w.chain.after(buf[start+frameHead:])
	w.size += int64(len(buf) - start)
	switch {
	case w.size >= w.limit:
		return w.fail(w.seal())
	case len(w.buf) >= flushAt && w.raw == nil:
		return w.fail(w.flush())
	}
	return nil
}

// Sync makes every record appended so far durable.
func (w *Writer) Sync() error {
	if w.err != nil || w.file == nil {
		return w.err
	}
	if err := w.flush(); err != nil {
		return w.fail(err)
	}
	return w.fail(w.file.Sync())
}

// Close seals the open segment, and makes the names of taken segments durable. After an error it does not seal.
func (w *Writer) Close() error {
	err := w.sealLast()
	if w.file != nil {
		err = errors.Join(err, w.file.Close())
		w.file = nil
	}
	w.err = os.ErrClosed
	if w.linked {
		err = errors.Join(err, disk.SyncDir(w.dir))
	}
	return err
}

// sealLast seals the open segment, if there is one. After an error it returns that error.
func (w *Writer) sealLast() error {
	if w.err != nil || w.file == nil && w.raw == nil {
		return w.err
	}
	return w.seal()
}

// fail records err, unless it is nil, and returns the recorded error.
func (w *Writer) fail(err error) error {
	if err != nil {
		w.err = fmt.Errorf("write the archive: %w", err)
	}
	return w.err
}

// flush writes the buffered frames to the open segment.
func (w *Writer) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	// Whole frames are written at once, so that a reader rarely sees half of one.
	_, err := w.file.Write(appendPacked(nil, w.buf))
	w.buf = w.buf[:0]
	return err
}

// begin opens a segment for a sequence. It is a new segment, or the short one that was sealed last, so that frequent stops do not leave
// thousands of files.
func (w *Writer) begin(seq uint64) error {
	head, frames := header{first: seq, before: w.chain}, []byte(nil)
	if w.reopen != nil {
		s, err := load(w.dir, *w.reopen)
		if err != nil {
			return err
		}
		if len(s.damage) > 0 {
			return &s.damage[0]
		}
		head, frames, w.chain, w.reopen = s.header, s.raw[headerSize:], s.seal.chain, nil
	}
	w.first = head.first
	if w.atOnce {
		w.raw = append(head.append(nil), frames...)
		w.size = int64(len(w.raw))
		return nil
	}
	content := head.append(nil)
	if frames != nil {
		content = appendPacked(content, frames)
	}
	if err := disk.ReplaceDurable(filepath.Join(w.dir, openName(w.first)), content); err != nil {
		return err
	}
	return w.resume(int64(headerSize + len(frames)))
}

// resume opens the open segment for appending.
func (w *Writer) resume(size int64) (err error) {
	w.file, err = disk.OpenFile(filepath.Join(w.dir, openName(w.first)), os.O_WRONLY|os.O_APPEND, 0)
	w.size = size
	return err
}

// seal turns the open segment into a sealed one. The open file is removed last, because it is the valid copy until the sealed file is
// durable.
func (w *Writer) seal() error {
	raw, err := w.content()
	if err != nil {
		return err
	}
	s := seal{last: w.last, count: w.last - w.first + 1, size: uint64(len(raw)), chain: w.chain, link: w.refused.link}
	replaces := w.refused.last == w.last
	if !replaces || w.refused.link == w.refused.chain { // a link that is the chain itself would reveal the records of the refused segment
		s = s.linked()
	}
	if err := writeSealed(w.dir, w.first, compress(raw), s); err != nil {
		return err
	}
	if w.file != nil {
		if err := w.file.Close(); err != nil {
			return err
		}
	}
	w.file, w.raw, w.buf, w.chain = nil, nil, w.buf[:0], s.link
	return removeOthers(w.dir, w.first, w.last)
}

// content returns the open segment's decompressed content. Unless atOnce is set, it is read back from the disk.
func (w *Writer) content() ([]byte, error) {
	if w.raw != nil {
		return append(w.raw, w.buf...), nil
	}
	if err := w.flush(); err != nil {
		return nil, err
	}
	s, err := load(w.dir, segmentFile{name: openName(w.first), first: w.first})
	if err != nil {
		return nil, err
	}
	if s.next != w.last+1 || len(s.damage) > 0 {
		return nil, &Damage{File: s.name, First: w.first, Last: w.last, Reason: "the disk returns other bytes than were written"}
	}
	return s.raw, nil
}
