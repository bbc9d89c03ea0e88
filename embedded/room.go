package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// maxProbe is the number of bytes that must fit on the disk before a server is started again after the disk was full. Fewer would be used
// up at once. Of a tiny disk a quarter suffices, because it may never have so many.
const maxProbe = 4 << 20

// Writable returns an error unless the bytes of maxProbe can be written to the disk of a journal directory. It writes them, because the
// free space that a file system reports ignores quotas and read-only mounts. If the file system itself reports too little space, Writable
// writes nothing: it would take the room of reports that hooks spool.
func Writable(dir string) error {
	bytes := int64(maxProbe)
	if size, free, err := DiskSize(dir); err == nil {
		if bytes = min(bytes, size/4); free < bytes {
			return fmt.Errorf("try the disk of %s: %w: %d bytes are free, an owner needs %d", filepath.Base(dir), syscall.ENOSPC, free, bytes)
		}
	}
	if err := probe(dir, bytes); err != nil {
		return fmt.Errorf("try the disk of %s: %w", filepath.Base(dir), err)
	}
	return nil
}

// probe writes and removes a file of some bytes.
func probe(dir string, bytes int64) (err error) {
	f, err := os.CreateTemp(dir, ".probe-*")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close(), os.Remove(f.Name())) }()
	if _, err := f.Write(make([]byte, bytes)); err != nil {
		return err
	}
	return f.Sync()
}
