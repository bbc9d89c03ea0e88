package embedded

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"journal/journal/disk"
)

// StoreState is the condition in which Own found the store.
type StoreState struct {
	Clean bool   // the last owner stopped cleanly
	Seq   uint64 // newest sequence at the last stop; 0 if it is unknown or Clean is false
	Head  string // digest of the record at Seq, empty if unknown
}

// checkStore checks the store between taking the lock and starting the server. The server never opens a store that fails the check.
// It returns ErrUnusableStore for a store that the server would damage by opening it, and a SuspectError for a damaged one.
func checkStore(ctx context.Context, dir string, o Options) (StoreState, error) {
	var found StoreState
	if m, err := readMarker(dir); err == nil {
		found = StoreState{Clean: true, Seq: m.Seq, Head: m.Head}
	}
	// Access comes first: a file that cannot be opened is not damage that a rebuild should repair.
	large, err := checkAccess(storePath(dir))
	if err != nil {
		return found, err
	}
	if large != "" {
		return found, &SuspectError{Reason: large + " is larger than any file of a store"}
	}
	if found.Clean {
		return found, nil
	}
	return found, checkBlocks(ctx, dir, o.Head, o.Logger)
}

// CheckAccess opens every file of a directory's store without changing anything. The error is ErrUnusableStore for a file that cannot be
// opened. It is disk.ErrNotRegular for a link, a pipe or a file that is too large: such a thing belongs to no store, and a rebuild leaves
// it out.
func CheckAccess(dir string) error {
	large, err := checkAccess(storePath(dir))
	if err != nil {
		return err
	}
	if large != "" {
		return fmt.Errorf("%w: %s is larger than any file of a store", disk.ErrNotRegular, large)
	}
	return nil
}

// maxStoreFile is more than the size of any file of a store, in bytes: a block has at most 8 MiB and one more record. The server reads each
// file whole.
const maxStoreFile = 64 << 20

// checkAccess opens every file of the store for writing, because the server deletes a whole stream if it cannot open one block of it. A
// single run under another user leaves such a file (docs/ENGINE.md §2). large is the path of a file over maxStoreFile, empty for none. The
// error is ErrUnusableStore.
func checkAccess(store string) (large string, err error) {
	err = filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case path == store:
			return fmt.Errorf("%w: %s is not a directory", disk.ErrNotRegular, path)
		case !d.Type().IsRegular():
			return fmt.Errorf("%w: %s", disk.ErrNotRegular, path)
		}
		f, err := disk.OpenFile(path, os.O_RDWR|disk.NoFollow, 0)
		if err != nil {
			return err
		}
		if fi, err := f.Stat(); err == nil && fi.Size() > maxStoreFile {
			large = path
		}
		return f.Close()
	})
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnusableStore, err)
	}
	return large, nil
}
