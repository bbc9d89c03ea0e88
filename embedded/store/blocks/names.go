package blocks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"journal/journal/disk"
)

// Names makes the names of a stream's files durable while a server writes to it. The server syncs what
// it writes into a block, and neither the directories that it makes nor the name of a new block: POSIX
// lets a power cut take these, and with them all that was acknowledged (J.1). It is not for concurrent
// use.
type Names struct {
	stream Stream
	last   int // newest block that has a durable name; 0 until somebody looked
}

// Names makes the one of the stream.
func (s Stream) Names() *Names { return &Names{stream: s} }

// Sync returns when every block that is there has a durable name, and so has every directory above it
// up to that of the store. The first call syncs all of these directories, others look for the
// block after the newest, which takes 1 µs.
func (n *Names) Sync() error {
	msgs := filepath.Join(n.stream.Dir, blockDir)
	dirs := []string{msgs}
	if n.last == 0 {
		// msgs, NAME, streams, the account's, jetstream, the store's
		for dir := n.stream.Dir; len(dirs) < 6; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	} else if there, err := exists(n.path(n.last + 1)); !there {
		return err
	}
	all, err := n.stream.blocks()
	for _, dir := range dirs {
		err = errors.Join(err, disk.SyncDir(dir))
	}
	if err != nil {
		return fmt.Errorf("make the names of the store durable: %w", err)
	}
	if len(all) > 0 {
		n.last = all[len(all)-1].index
	}
	return nil
}

func (n *Names) path(index int) string {
	return filepath.Join(n.stream.Dir, blockDir, strconv.Itoa(index)+blockEnd)
}

func exists(path string) (bool, error) {
	_, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}
