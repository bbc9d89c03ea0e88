package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// NoFollow is 0: there is no such flag.
const NoFollow = 0

// Sync is SyncDir of an open directory. It does nothing: Windows cannot flush a
// directory, and writes names through its own journal.
func Sync(*os.File) error { return nil }

// noWait is 0: on Windows nothing that opening would wait for has a path among files.
const noWait = 0

func openDir(path string, _ int) (*os.File, error) {
	dir, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	fi, err := dir.Stat()
	if err == nil && !fi.IsDir() {
		err = &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	if err != nil {
		dir.Close()
		return nil, err
	}
	return dir, nil
}
