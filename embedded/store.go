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

// Opening says in what condition Own found the store.
type Opening struct {
	Clean  bool   // the last owner stopped cleanly
	Reason string // why not, if not Clean
	Seq    uint64 // the head that the last owner gave to SetHead; 0 if not Clean
	Head   string // the hash of the record at Seq
}

// checkStore is the one place between taking the lock and starting the server
// where the store is looked at; a store that fails here is never opened. It
// returns ErrUnusableStore for a store that the server would damage by opening it,
// and a SuspectError for one that is damaged.
func checkStore(ctx context.Context, dir string, o Options) (Opening, error) {
	var found Opening
	if m, err := readMarker(dir); err != nil {
		found.Reason = err.Error()
	} else {
		found = Opening{Clean: true, Seq: m.Seq, Head: m.Head}
	}
	// Access first: a file that cannot be opened is not damage that a rebuild should repair.
	large, err := checkAccess(storePath(dir))
	if err != nil {
		return found, err
	}
	if large != "" {
		return found, &SuspectError{Dir: dir, Reason: large + " is larger than any file of a store"}
	}
	if found.Clean {
		return found, nil
	}
	return found, checkBlocks(ctx, dir, o.Head, o.Logger)
}

// CheckAccess is the part of opening a directory that opens every file of its store, and changes nothing. The error is
// ErrUnusableStore, and disk.ErrNotRegular for what is no file of a store: a rebuild makes one without it.
func CheckAccess(dir string) error {
	large, err := checkAccess(storePath(dir))
	if err == nil && large != "" {
		err = fmt.Errorf("%w: %s is larger than any file of a store", disk.ErrNotRegular, large)
	}
	return err
}

// maxStoreFile is more than any file of a store has, in bytes: its blocks have 8 MiB and
// a record. The server reads each of them whole.
const maxStoreFile = 64 << 20

// checkAccess opens every file of the store for writing, because the server
// deletes a whole stream when it cannot open one block of it; a single run
// under another user leaves such a file (docs/ENGINE.md §2). large is one that the server
// must not read, if any.
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
