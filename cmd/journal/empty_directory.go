package main

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"journal/embedded/store/ownership"
	"journal/journal/disk"
)

// emptyDirectory takes the lock of the journal directory, in which there is nothing yet.
func emptyDirectory(a *app, verb string) (*ownership.Lock, error) {
	there, err := disk.ReadDir(a.dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	// A restoring that failed leaves its lock.
	there = slices.DeleteFunc(there, func(d fs.DirEntry) bool { return strings.HasPrefix(d.Name(), "owner.") })
	if len(there) > 0 {
		return nil, withHint(fmt.Errorf("%s is not empty", a.dir), "JOURNAL_DIR=… journal "+verb+" FILE, or move it away: journal stop && mv "+a.dir+" "+a.dir+".old")
	}
	if err := ownership.Prepare(a.dir); err != nil {
		return nil, err
	}
	lock, err := ownership.TryLock(a.dir)
	if err != nil {
		return nil, withHint(err, "journal status")
	}
	return lock, nil
}
