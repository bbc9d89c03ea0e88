package snapshots

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// What is kept: two snapshots of a lane, one before the newest for points just
// behind it; none that nobody used for a month; and 64 MiB in all.
const (
	keptOfLane = 2
	keptFor    = 30 * 24 * time.Hour
	keptBytes  = 64 << 20
)

// Prune removes what was not used for a month as of now, what a dead writer left
// aside, and then the least recently used files until the rest takes 64 MiB at
// most.
func (d Dir) Prune(now time.Time) error { return d.prune(now, keptBytes) }

func (d Dir) prune(now time.Time, most int64) error {
	names, err := os.ReadDir(d.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("snapshots: %w", err)
	}
	var kept []fs.FileInfo
	var size int64
	var problems []error
	remove := func(name string) {
		if err := os.Remove(filepath.Join(d.path, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			problems = append(problems, fmt.Errorf("snapshots: %w", err))
		}
	}
	for _, n := range names {
		fi, err := n.Info()
		if err != nil {
			continue // it is gone
		}
		if filepath.Ext(n.Name()) == aside || now.Sub(fi.ModTime()) > keptFor {
			remove(n.Name())
			continue
		}
		kept, size = append(kept, fi), size+fi.Size()
	}
	slices.SortFunc(kept, func(a, b fs.FileInfo) int { return cmp.Compare(a.ModTime().UnixNano(), b.ModTime().UnixNano()) })
	for _, fi := range kept {
		if size <= most {
			break
		}
		remove(fi.Name())
		size -= fi.Size()
	}
	return errors.Join(problems...)
}
