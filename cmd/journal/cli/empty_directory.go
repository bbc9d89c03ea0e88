package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"journal/embedded/store/ownership"
	"journal/journal/disk"
)

// EmptyDirectory takes the lock of the journal directory, in which there is nothing yet.
func EmptyDirectory(a *App, verb string) (*ownership.Lock, error) {
	there, err := disk.ReadDir(a.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// A restoring that failed leaves its lock.
	there = slices.DeleteFunc(there, func(d fs.DirEntry) bool { return strings.HasPrefix(d.Name(), "owner.") })
	if len(there) > 0 {
		return nil, WithHint(fmt.Errorf("%s is not empty", a.Dir), "JOURNAL_DIR=… journal "+verb+" FILE, or move it away: journal stop && mv "+a.Dir+" "+a.Dir+".old")
	}
	if err := ownership.Prepare(a.Dir); err != nil {
		return nil, err
	}
	lock, err := ownership.TryLock(a.Dir)
	if err != nil {
		return nil, WithHint(err, "journal status")
	}
	return lock, nil
}
