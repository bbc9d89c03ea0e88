// Package logfile writes the journal's log of its own errors: JSON lines in a file of
// the journal's directory. The lines hold ids, durations and reasons, never the texts
// of an agent or a person.
package logfile

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"journal/journal/disk"
	"journal/journal/wire/sock"
)

// maxBytes is the size from which the file is renamed to journal.log.1, which replaces
// the previous file of that name (ADR-0032 rule 2).
const maxBytes = 1 << 20

// Path returns the path of the log file in a directory.
func Path(dir string) string { return filepath.Join(dir, "journal.log") }

// Logger returns a logger that writes to the log file of a directory. The file is
// opened for each line, so a hook that logs nothing touches nothing. A line that
// cannot be written to the directory goes to the file of Spare.
func Logger(dir string) *slog.Logger {
	return slog.New(slog.NewJSONHandler(&file{dir: dir}, nil))
}

// file is the log file of a journal directory.
type file struct {
	dir string
	mu  sync.Mutex
}

// Write appends one line. It opens the file for each line: lines are rare, many
// processes write, and the file may have been renamed meanwhile. To a line for the file
// of Spare it adds the journal's directory.
func (f *file) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := appendLine(line, func() (*os.File, error) { return openIn(f.dir) })
	if err == nil {
		return len(line), nil
	}
	dir, _ := json.Marshal(f.dir) // no error: a string always encodes
	spare := slices.Concat([]byte(`{"dir":`), dir, []byte(","), bytes.TrimPrefix(line, []byte("{")))
	if appendLine(spare, openSpare) != nil {
		return 0, err
	}
	return len(line), nil
}

// appendLine appends one line to a file that open opens.
func appendLine(line []byte, open func() (*os.File, error)) error {
	out, err := open()
	if err != nil {
		return err
	}
	_, err = out.Write(line) // on a full disk opening works and writing fails
	return errors.Join(err, out.Close())
}

// Spare returns the path of the file for lines that could not be written to a journal's
// directory. The member dir of a line in it names that directory.
func Spare() (string, error) {
	dir, err := sock.Shared()
	return Path(dir), err
}

// Open opens the log file for appending: in the journal's directory or, if that
// fails, the file of Spare.
func Open(dir string) (*os.File, error) {
	out, err := openIn(dir)
	if err == nil {
		return out, nil
	}
	spare, spareErr := openSpare()
	if spareErr != nil {
		return nil, err
	}
	return spare, nil
}

// openIn opens the log file in the journal's directory, which it makes if necessary.
func openIn(dir string) (*os.File, error) {
	out, err := open(dir)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(dir, 0o700) == nil {
		out, err = open(dir)
	}
	return out, err
}

// openSpare opens the file of Spare.
func openSpare() (*os.File, error) {
	dir, err := sock.Shared()
	if err != nil {
		return nil, err
	}
	return open(dir)
}

// open opens the log file in a directory. It first renames a file that is full.
func open(dir string) (*os.File, error) {
	if isFull(dir) {
		rename(dir)
	}
	return disk.OpenFile(Path(dir), os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}

// isFull reports whether the log file of a directory is full.
func isFull(dir string) bool {
	fi, err := os.Lstat(Path(dir))
	return err == nil && fi.Size() >= maxBytes
}

// rename renames the log file of a directory. Only a process that finds the file full under the directory's lock does it: of
// two that saw it full before, the second would replace the full file by the new one. On Windows, which locks no directories,
// that can happen.
func rename(dir string) {
	if f, err := disk.OpenDir(dir); err == nil {
		defer f.Close()
		_ = disk.Lock(f)
	}
	if isFull(dir) {
		_ = os.Rename(Path(dir), Path(dir)+".1")
	}
}
