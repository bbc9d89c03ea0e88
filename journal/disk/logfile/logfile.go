// Package logfile is the journal's own log of errors: JSON lines in the journal's
// directory. They hold ids, durations and reasons, never what an agent or a
// person said.
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

// maxBytes is the size at which the file is renamed to journal.log.1, replacing
// the previous one (ADR-0032 rule 2).
const maxBytes = 1 << 20

// Path is the log file of a journal directory.
func Path(dir string) string { return filepath.Join(dir, "journal.log") }

// Logger returns a logger that writes to the log file of a directory. The file is
// opened at the first line, so a hook that logs nothing touches nothing. If the
// directory takes no lines, they go to a private directory below the system's
// temporary one.
func Logger(dir string) *slog.Logger {
	return slog.New(slog.NewJSONHandler(&file{dir: dir}, nil))
}

type file struct {
	dir string
	mu  sync.Mutex
}

// Write appends one line. Each line opens the file anew: lines are rare, many
// processes write, and the file may have been put aside meanwhile.
func (f *file) Write(line []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	err := f.write(line)
	if err != nil && f.spare(line) != nil {
		return 0, err
	}
	return len(line), nil
}

func (f *file) write(line []byte) error {
	out, err := openIn(f.dir)
	if err != nil {
		return err
	}
	_, err = out.Write(line) // on a full disk opening works and writing fails
	return errors.Join(err, out.Close())
}

// spare appends one line, which names its journal, to the common file of the user's journals.
func (f *file) spare(line []byte) error {
	dir, err := json.Marshal(f.dir)
	if err != nil {
		return err
	}
	out, err := openSpare()
	if err != nil {
		return err
	}
	if rest, ok := bytes.CutPrefix(line, []byte("{")); ok {
		line = slices.Concat([]byte(`{"dir":`), dir, []byte(","), rest)
	}
	_, err = out.Write(line)
	return errors.Join(err, out.Close())
}

// Spare returns the path of the file for lines that a journal's directory does not take. Each
// line names its journal in dir.
func Spare() (string, error) {
	dir, err := sock.Shared()
	return Path(dir), err
}

// Open opens the log file for appending, in its own place or in the temporary
// one.
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

// openIn opens the log file in its own place.
func openIn(dir string) (*os.File, error) {
	out, err := open(dir)
	if errors.Is(err, fs.ErrNotExist) && os.MkdirAll(dir, 0o700) == nil {
		out, err = open(dir)
	}
	return out, err
}

func openSpare() (*os.File, error) {
	dir, err := sock.Shared()
	if err != nil {
		return nil, err
	}
	return open(dir)
}

func open(dir string) (*os.File, error) {
	path := Path(dir)
	if fi, err := os.Lstat(path); err == nil && fi.Size() >= maxBytes {
		// Two processes may both see the size; the second renames a small file
		// and a few lines are lost, but no events.
		_ = os.Rename(path, path+".1")
	}
	return disk.OpenFile(path, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
}
