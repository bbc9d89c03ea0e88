package blocks

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// DirSyncer makes the names of a stream's files durable while a server writes to it. The server syncs the content of a block, but neither
// new directories nor the name of a new block. A power cut may remove these names, and with them acknowledged messages (J.1). DirSyncer is
// not safe for concurrent use.
type DirSyncer struct {
	stream Stream
	last   int // newest block with a durable name, 0 for none
}

// DirSyncer returns the DirSyncer of the stream.
func (s Stream) DirSyncer() *DirSyncer { return &DirSyncer{stream: s} }

// Sync makes the names of all blocks durable. Until it finds a block, it also syncs the directories above them, up to that of the store. A
// later call syncs only if there is a new block; the check for one takes 1 µs.
func (d *DirSyncer) Sync() error {
	msgs := filepath.Join(d.stream.Dir, blockDir)
	dirs := []string{msgs}
	if d.last == 0 {
		// msgs, NAME, streams, the account's, jetstream, the store's
		for dir := d.stream.Dir; len(dirs) < 6; dir = filepath.Dir(dir) {
			dirs = append(dirs, dir)
		}
	} else if _, err := os.Lstat(d.stream.block(d.last + 1).path); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	all, err := d.stream.blocks()
	for _, dir := range dirs {
		err = errors.Join(err, disk.SyncDir(dir))
	}
	if err != nil {
		return fmt.Errorf("make the names of the store durable: %w", err)
	}
	if len(all) > 0 {
		d.last = all[len(all)-1].index
	}
	return nil
}
