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
	if err := checkAccess(storePath(dir)); err != nil || found.Clean {
		return found, err
	}
	return found, checkBlocks(ctx, dir, o.Head, o.Logger)
}

// checkAccess opens every file of the store for writing, because the server
// deletes a whole stream when it cannot open one block of it; a single run
// under another user leaves such a file (docs/ENGINE.md §2).
func checkAccess(store string) error {
	err := filepath.WalkDir(store, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir():
			return nil
		case path == store:
			return fmt.Errorf("%s is not a directory", path)
		case !d.Type().IsRegular():
			return fmt.Errorf("%s is not a file", path)
		}
		f, err := os.OpenFile(path, os.O_RDWR|disk.NoFollow, 0)
		if err != nil {
			return err
		}
		return f.Close()
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnusableStore, err)
	}
	return nil
}
