package tree

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"journal/journal/disk"
)

const (
	// fileBytes is the longest file that is read, maxRead how many are, and readWait after which none more is.
	fileBytes = 1 << 20
	maxRead   = 24
	readWait  = 300 * time.Millisecond
)

// tree reads files of a project.
type tree struct {
	path string
	root *os.Root
	read int
	end  time.Time
}

func openTree(path string) (*tree, error) {
	root, err := disk.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &tree{path: path, root: root, end: time.Now().Add(readWait)}, nil
}

func (t *tree) close() { t.root.Close() }

// lines gives the lines of a regular text file of a known language, in the project wherever links lead.
func (t *tree) lines(path string) ([]string, bool) {
	below, err := filepath.Rel(t.path, path)
	if err != nil || shapes[strings.ToLower(filepath.Ext(path))] == nil || t.read == maxRead || time.Now().After(t.end) {
		return nil, false
	}
	if info, err := t.root.Stat(below); err != nil || !info.Mode().IsRegular() || info.Size() > fileBytes {
		return nil, false
	}
	t.read++
	f, err := t.root.OpenFile(below, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe that took its place is not waited for
	if err != nil {
		return nil, false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, fileBytes))
	if err != nil || !utf8.Valid(b) {
		return nil, false
	}
	return strings.Split(strings.ReplaceAll(string(b), "\r\n", "\n"), "\n"), true
}
