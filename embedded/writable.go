package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// probeBytes is what has to fit on the disk before a server is started on it again:
// less would fill up at once.
const probeBytes = 4 << 20

// Writable says whether the disk of a journal directory takes a few megabytes, by
// writing them. The free space that a file system tells is not all there is to it:
// quotas and read-only mounts count too. Where it tells less nothing is written: for that
// moment there would be no room for what hooks spool.
func Writable(dir string) error {
	if _, free, err := diskSize(dir); err == nil && free < probeBytes {
		return fmt.Errorf("try the disk of %s: %w: %d bytes are free", filepath.Base(dir), syscall.ENOSPC, free)
	}
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return fmt.Errorf("try the disk: %w", err)
	}
	_, err = f.Write(make([]byte, probeBytes))
	if err == nil {
		err = f.Sync()
	}
	err = errors.Join(err, f.Close(), os.Remove(f.Name()))
	if err != nil {
		return fmt.Errorf("try the disk of %s: %w", filepath.Base(dir), err)
	}
	return nil
}
