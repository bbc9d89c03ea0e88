package transcripts

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/wire/client"
)

// tailBytes is the number of bytes before an offset by which a file is recognised.
const tailBytes = 256

// reading holds the progress of reading a transcript. A path from an agent may name anything, so only regular files are read. A file that
// was rewritten is read from the beginning, unless a part of it was passed (see follow).
type reading struct {
	agent  string
	format *transcript.Format // nil if there is nothing to read
	path   string

	watcher    transcript.Watcher
	info       fs.FileInfo       // of the file that was read, nil before the first reading
	offset     int64             // up to which the file was read, in whole rows
	unfinished int64             // number of bytes after the offset that were read and have no end of a row
	tail       []byte            // the last bytes before the offset
	passed     int64             // bytes before this offset are never read
	since      time.Time         // older rows belong to another session; zero for no limit
	paused     bool              // recording was paused at the last reading
	steps      []transcript.Step // not stored yet
}

// begin starts reading a file at an offset.
func (r *reading) begin(f *os.File, info fs.FileInfo, offset int64) error {
	r.watcher = r.format.Watch(r.path)
	r.watcher.Since(r.since)
	return r.advance(f, info, offset)
}

// advance records the offset up to which the file was read.
func (r *reading) advance(f *os.File, info fs.FileInfo, offset int64) (err error) {
	r.info, r.offset, r.unfinished = info, offset, 0
	r.tail, err = tailOf(f, offset)
	return err
}

// tailOf returns the last bytes before an offset.
func tailOf(f *os.File, offset int64) ([]byte, error) {
	b := make([]byte, min(offset, tailBytes))
	_, err := f.ReadAt(b, offset-int64(len(b)))
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return b, err
}

// same reports whether a file is the one that was read, and still has the same last bytes before the offset.
func (r *reading) same(f *os.File, info fs.FileInfo) bool {
	if r.info == nil || !os.SameFile(r.info, info) || info.Size() < r.offset {
		return false
	}
	tail, err := tailOf(f, r.offset)
	return err == nil && bytes.Equal(tail, r.tail)
}

// follow reads the next portion of a session's transcript, until a deadline, which may be zero for none. It stores the facts that no hook
// reports. It skips excluded content, such as the rows of a pause (see exclude). more is true if rows remain. The caller holds sr.sem.
func (rd *Reader) follow(ctx context.Context, sr *sessionReader, deadline time.Time) (more bool, err error) {
	rd.writer.Lock()
	moved, excluded := sr.moved, sr.excluded
	sr.moved, sr.excluded = false, false
	rd.writer.Unlock()
	r := &sr.file
	if moved {
		exclude, err := rd.setTranscript(ctx, sr)
		if err != nil {
			rd.retry(sr, true, excluded)
			return false, err
		}
		excluded = excluded || exclude
	}
	if r.format == nil {
		return false, nil
	}
	if r.paused = client.Paused(rd.dir, sr.target.Project); r.paused {
		rd.writer.Lock()
		sr.exclude(false)
		rd.writer.Unlock()
		return false, nil
	}
	file, info, err := disk.Open(r.path)
	if err != nil {
		rd.retry(sr, false, excluded)
		if errors.Is(err, disk.ErrNotRegular) || errors.Is(err, fs.ErrPermission) {
			return false, nil // that is no fault of the owner
		}
		return false, err
	}
	defer file.Close()
	// A rewritten file may have the excluded rows at other offsets, so its present content is excluded too.
	if excluded || r.passed > 0 && !r.same(file, info) {
		if err := rd.pass(ctx, sr, file, info); err != nil {
			return false, err
		}
	}
	if more, err = r.readRows(file, info, deadline); err != nil {
		return false, err
	}
	rd.writer.Lock()
	restarted := sr.restarted && !more
	sr.restarted = sr.restarted && more
	rd.writer.Unlock()
	if restarted {
		r.steps = append(r.steps, r.watcher.Restarted()...)
	}
	return more, rd.store(ctx, &sr.laneReader)
}

// readRows reads the next portion of an open file, from its beginning if it is another file or was rewritten. See readPortion.
func (r *reading) readRows(f *os.File, info fs.FileInfo, deadline time.Time) (more bool, err error) {
	if !r.same(f, info) {
		if err := r.begin(f, info, 0); err != nil {
			return false, err
		}
	}
	return r.readPortion(f, info, deadline)
}

// retry makes the next reading find the transcript again if moved is true, and pass its content if excluded is true.
func (rd *Reader) retry(sr *sessionReader, moved, excluded bool) {
	rd.writer.Lock()
	defer rd.writer.Unlock()
	sr.moved, sr.excluded = sr.moved || moved, sr.excluded || excluded
}

// readPortion reads whole rows, up to portionBytes and until a deadline, which may be zero for none. It adds their steps to r.steps. more
// is true if the file goes on.
func (r *reading) readPortion(f *os.File, info fs.FileInfo, deadline time.Time) (more bool, err error) {
	left := info.Size() - r.offset
	switch {
	case left <= r.unfinished:
		return false, nil
	case r.unfinished > 0 && !deadline.IsZero(): // a long row is left to a call without a deadline
		return true, nil
	case r.unfinished > 0:
		return r.readLongRow(f, info)
	}
	b := make([]byte, min(left, portionBytes))
	n, err := f.ReadAt(b, r.offset)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	b = b[:n]
	read := 0
	for {
		end := bytes.IndexByte(b[read:], '\n')
		if end < 0 {
			break
		}
		row := bytes.TrimSpace(b[read : read+end])
		read += end + 1
		rows := [][]byte{row}
		if len(row) > 0 && !transcript.Closed(row) { // the line has a broken row, or several rows
			rows = transcript.Salvage(row)
		}
		for _, row := range rows {
			r.steps = append(r.steps, r.watcher.Parse(row)...)
		}
		if !deadline.IsZero() && time.Now().After(deadline) {
			break
		}
	}
	if read == 0 {
		if n == portionBytes {
			r.unfinished = portionBytes
		}
		return n == portionBytes, nil
	}
	if err := r.advance(f, info, r.offset+int64(read)); err != nil {
		return false, err
	}
	return int64(read) < left, nil
}

// readLongRow searches for the end of a row that is longer than portionBytes. When it has found the end, it adds the steps of the row. It
// skips a row that the format cannot read.
func (r *reading) readLongRow(f *os.File, info fs.FileInfo) (more bool, err error) {
	b := make([]byte, portionBytes)
	n, err := f.ReadAt(b, r.offset+r.unfinished)
	if err != nil && !errors.Is(err, io.EOF) {
		return false, err
	}
	end := bytes.IndexByte(b[:n], '\n')
	if end < 0 {
		r.unfinished += int64(n)
		return n == portionBytes, nil
	}
	size := r.unfinished + int64(end) + 1
	if row, err := r.format.Row(io.NewSectionReader(f, r.offset, size)); err == nil {
		r.steps = append(r.steps, r.watcher.Parse(row)...)
	}
	err = r.advance(f, info, r.offset+size)
	return r.offset < info.Size(), err
}
