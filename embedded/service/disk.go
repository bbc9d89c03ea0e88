package service

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"
)

// Disk holds the sizes of a journal's files in bytes, by kind.
type Disk struct {
	Store   uint64 `json:"store"`
	Archive uint64 `json:"archive"` // the second copy
	Index   uint64 `json:"index"`
	Spool   uint64 `json:"spool"`
	// PerDay is the growth of store and archive per day over the last Days days. It is derived from the times of the archive's files, so it
	// can be off by one file, and after a forget all changed files count as new.
	PerDay uint64 `json:"per_day"`
	Days   int    `json:"days"` // number of days in PerDay, 1 to 30
}

// Names inside a journal directory.
const (
	storeName   = "store"
	archiveName = "archive"
	indexName   = "index"
	spoolName   = "spool"
)

// growthDays is the greatest number of days in PerDay.
const growthDays = 30

const day = 24 * time.Hour

// measureDisk returns the sizes of a journal directory's files, which may come and go meanwhile.
func measureDisk(dir string, now time.Time) (d Disk, err error) {
	var recent uint64 // bytes of the archive from the last growthDays days
	oldest := now
	for name, bytes := range map[string]*uint64{storeName: &d.Store, archiveName: &d.Archive, indexName: &d.Index, spoolName: &d.Spool} {
		err := filepath.WalkDir(filepath.Join(dir, name), func(_ string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return ignoreNotExist(err)
			}
			fi, err := e.Info()
			if err != nil {
				return ignoreNotExist(err)
			}
			*bytes += uint64(fi.Size())
			if fi.ModTime().Before(oldest) {
				oldest = fi.ModTime()
			}
			if name == archiveName && now.Sub(fi.ModTime()) < growthDays*day {
				recent += uint64(fi.Size())
			}
			return nil
		})
		if err != nil {
			return d, fmt.Errorf("measure %s: %w", name, err)
		}
	}
	d.Days = int(min(now.Sub(oldest)/day+1, growthDays))
	share := 1.0 // part of the archive's bytes that is from the last growthDays days
	if d.Archive > 0 {
		share = float64(recent) / float64(d.Archive)
	}
	d.PerDay = uint64(float64(d.Store+d.Archive) * share / float64(d.Days))
	return d, nil
}

// ignoreNotExist returns err, or nil if it means that a file is gone.
func ignoreNotExist(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
