package spool

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"journal/journal/disk"
)

// Read returns the encoding and the body of an entry. The body has the right digest
// and at most [MaxBody] bytes. The error is [ErrBroken] if the file will never be a
// report, [ErrNewer] if it has a later format, and [fs.ErrNotExist] if it was
// removed or renamed. The latter happens to the temporary file of a writer that was
// alive after all: the next List has it under its final name. Any other error is the
// file system's and may be temporary. Read never removes the entry.
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

// Remove deletes an entry whose events are durable in the log. A missing file is
// no error. The directory is not flushed: if a crash restores the file, it is
// delivered again under the same id, which the log recognises. A flush per report
// would halve the speed of a drain.
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

// removers is the number of goroutines that RemoveAll uses.
const removers = 16

// RemoveAll removes entries in no order, several at a time: removing a synced file
// waits about a millisecond for ext4's journal, and concurrent removals share that wait.
// left holds the entries that could not be removed, and err the reasons.
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

// readRegular returns the first maxFile+1 bytes of a regular file, so that decode
// returns an error for a file that is too long. The error is ErrBroken for any
// other kind of file.
func readRegular(path string) ([]byte, error) {
	f, err := openFile(path)
	if err != nil {
		// Opening links, sockets and devices fails, each with its own error.
		if fi, statErr := os.Lstat(path); statErr == nil && !fi.Mode().IsRegular() {
			return nil, broken("not a regular file but %s", fi.Mode().Type())
		}
		return nil, err
	}
	defer f.Close()
	fi, err := f.Stat()
	if err != nil {
		return nil, err
	}
	file := make([]byte, min(fi.Size(), maxFile+1))
	n, err := io.ReadFull(f, file)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return file[:n], nil
}

const (
	asideName    = "aside"
	reasonSuffix = ".reason"
)

// SetAside moves an entry to the directory "aside" in the spool, and writes the
// reason into a file beside it, with ".reason" behind its name. It deletes and
// overwrites nothing: a person should examine the file. On an error the entry
// stays in the queue, unless only the flush of the directories failed.
func (d *Dir) SetAside(e Entry, reason string) error {
	path, err := d.file(e)
	if err != nil {
		return err
	}
	if err := d.setAside(path, strings.TrimPrefix(e.Name, tmpPrefix), reason); err != nil {
		return fmt.Errorf("set spool file %s aside: %w", e.Name, err)
	}
	return nil
}

// setAside implements SetAside for the file at path. name is its final name.
func (d *Dir) setAside(path, name, reason string) error {
	from, err := openDir(d.path)
	if err != nil {
		return err
	}
	defer from.Close()
	if err := disk.MakePrivate(d.asidePath()); err != nil {
		return err
	}
	to, err := openDir(d.asidePath())
	if err != nil {
		return err
	}
	defer to.Close()

	target, err := d.freeAside(name)
	if err != nil {
		return err
	}
	// The reason is written first: a crash then leaves a reason without a file, and
	// not the reverse.
	if err := writeNew(target+reasonSuffix, []byte(reason+"\n")); err != nil {
		return err
	}
	if err := os.Rename(path, target); err != nil {
		return errors.Join(err, disk.Remove(target+reasonSuffix))
	}
	return errors.Join(disk.SyncOpenDir(to), disk.SyncOpenDir(from))
}

// freeAside returns a path in the directory "aside" that is free for a file and its
// reason: with the file name itself, or with a number behind it. The path stays free,
// because only the holder of the log's lock sets files aside.
func (d *Dir) freeAside(name string) (string, error) {
	names, err := readNames(d.asidePath())
	if err != nil {
		return "", err
	}
	taken := make(map[string]bool, len(names))
	for _, n := range names {
		taken[strings.TrimSuffix(n, reasonSuffix)] = true
	}
	free := name
	for i := 2; taken[free]; i++ {
		free = name + "." + strconv.Itoa(i)
	}
	return filepath.Join(d.asidePath(), free), nil
}

func (d *Dir) asidePath() string { return filepath.Join(d.path, asideName) }

// sweepAfter is the age at which an incomplete temporary file is removed
// (ADR-0004 rule 10).
const sweepAfter = time.Hour

// Sweep removes incomplete temporary files that were last written more than an hour
// before or after now, and returns their number. No acknowledged report is lost:
// the writers died before Put returned. Complete files, files of a later format, and
// files with other names stay.
func (d *Dir) Sweep(now time.Time) (removed int, err error) {
	names, err := readNames(d.path)
	if err != nil {
		return 0, fmt.Errorf("sweep spool: %w", err)
	}
	var errs []error
	for _, name := range names {
		final, isTmp := strings.CutPrefix(name, tmpPrefix)
		if !isTmp {
			continue
		}
		e, err := ParseName(final)
		e.Name = name
		if err != nil || !d.untouched(e, now, sweepAfter) {
			continue
		}
		if _, _, err := d.Read(e); !errors.Is(err, ErrBroken) {
			continue
		}
		if err := d.Remove(e); err != nil {
			errs = append(errs, err)
			continue
		}
		removed++
	}
	return removed, errors.Join(errs...)
}
