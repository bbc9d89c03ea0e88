package spool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"
	"sync/atomic"

	"journal/journal/disk"
)

// Read returns the encoding and body of an entry, at most [MaxBody] bytes whose
// digest was right. The error is [ErrBroken] if the file will never be a report,
// [ErrNewer] if it is one of a later format, and [fs.ErrNotExist] if it is gone,
// such as the temporary file of a writer that still lived: the next List has it
// under its final name. Any other error is the file system's and may be
// temporary; the entry stays.
func (d *Dir) Read(e Entry) (encoding string, body []byte, err error) {
	path, err := d.file(e)
	if err != nil {
		return "", nil, err
	}
	if _, err := ParseName(strings.TrimPrefix(e.Name, tmpPrefix)); err != nil {
		return "", nil, broken("%w", err)
	}
	file, err := readRegular(path)
	if err != nil {
		return "", nil, fmt.Errorf("read spool file %s: %w", e.Name, err)
	}
	encoding, body, err = decode(file)
	if err != nil {
		return "", nil, fmt.Errorf("read spool file %s: %w", e.Name, err)
	}
	return encoding, body, nil
}

// Remove deletes an entry after its events are durable in the log. It is no
// error if it is gone already. The directory is not flushed: if a crash brings
// the file back, it is delivered again under the same id, which the log
// recognises. A flush per report would halve the speed of a drain.
func (d *Dir) Remove(e Entry) error {
	path, err := d.file(e)
	if err != nil {
		return err
	}
	if err := disk.Remove(path); err != nil {
		return fmt.Errorf("remove spool file: %w", err)
	}
	return nil
}

// removers is how many files RemoveAll removes at a time.
const removers = 16

// RemoveAll removes many entries in no order, several at a time: removing a synced file
// waits about a millisecond for ext4's journal, and many removals share that wait. left
// are the entries that could not be removed; err says why.
func (d *Dir) RemoveAll(entries []Entry) (left []Entry, err error) {
	var workers sync.WaitGroup
	var next atomic.Int64
	errs := make([]error, len(entries))
	for range min(removers, len(entries)) {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(entries)); i = next.Add(1) - 1 {
				errs[i] = d.Remove(entries[i])
			}
		})
	}
	workers.Wait()
	for i, e := range entries {
		if errs[i] != nil {
			left = append(left, e)
		}
	}
	return left, errors.Join(errs...)
}

// readRegular returns a file's first bytes, one more than a report can have at
// most, so that decode sees when there are too many.
func readRegular(path string) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		// Opening links, sockets and devices fails, each with its own error.
		if fi, statErr := os.Lstat(path); statErr == nil && !fi.Mode().IsRegular() {
			return nil, notRegular(fi)
		}
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !fi.Mode().IsRegular() {
		return nil, notRegular(fi)
	}
	file := make([]byte, min(fi.Size(), maxFile+1))
	n, err := io.ReadFull(f, file)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return file[:n], nil
}

func notRegular(fi fs.FileInfo) error {
	return broken("not a regular file but %s", fi.Mode().Type())
}
