package rebuild

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"journal/embedded/copies"
	"journal/embedded/store/ownership"
	"journal/journal/disk"
)

// plan describes how the new copies replace the old ones. It is stored before its first step. Every step may be repeated.
type plan struct {
	Entry
	Forget bool   `json:"forget,omitempty"` // all replaced copies are deleted, also those of earlier rebuilds
	Drop   bool   `json:"drop,omitempty"`   // the copies that this rebuild replaces are deleted: merged with a remote copy, the new ones have all their records
	Last   uint64 `json:"last"`             // sequence of the newest record of the new store
}

// step is one change of a directory.
type step struct {
	name string
	do   func() error
}

// steps returns the steps of a plan in order.
func (p plan) steps(dir string) []step {
	var all []step
	for _, name := range []string{archiveName, storeName} {
		path, aside, fresh := filepath.Join(dir, name), filepath.Join(dir, suspectOf(name, p.At)), filepath.Join(dir, name+newSuffix)
		all = append(all,
			step{"put the old " + name + " aside", func() error {
				if !exists(fresh) || !exists(path) {
					return nil
				}
				return rename(path, aside)
			}},
			step{"put the new " + name + " in place", func() error {
				if !exists(fresh) {
					return nil
				}
				return rename(fresh, path)
			}})
	}
	for _, name := range removedNames {
		all = append(all, step{"remove " + name, func() error { return os.RemoveAll(filepath.Join(dir, name)) }})
	}
	if p.Forget || p.Drop {
		all = append(all, step{"remove the replaced copies", func() error {
			for _, path := range Suspects(dir) {
				if name := filepath.Base(path); !p.Forget && name != suspectOf(storeName, p.At) && name != suspectOf(archiveName, p.At) {
					continue
				}
				if err := os.RemoveAll(path); err != nil {
					return err
				}
			}
			return disk.SyncDir(dir)
		}})
	}
	return append(all,
		step{"set the head", func() error {
			return disk.ReplaceDurable(filepath.Join(dir, headName), fmt.Appendf(nil, "%d\n", p.Last))
		}},
		step{"remember the rebuild", func() error { return remember(dir, p.Entry) }},
		step{"end the plan", func() error {
			return errors.Join(disk.Remove(filepath.Join(dir, planName)), disk.SyncDir(dir))
		}})
}

// begin stores a plan. From then on the new copies are the valid ones.
func (p plan) begin(dir string) error {
	b, err := json.Marshal(p)
	if err != nil {
		return err
	}
	return disk.ReplaceDurable(filepath.Join(dir, planName), append(b, '\n'))
}

// execute executes the steps of a plan. The error is ownership.ErrReplaced, or that of the step that failed.
func execute(lock *ownership.Lock, steps []step) error {
	for _, s := range steps {
		if !lock.Intact() {
			return ownership.ErrReplaced
		}
		if err := s.do(); err != nil {
			return fmt.Errorf("rebuild: %s: %w", s.name, err)
		}
	}
	return nil
}

// Resume completes a rebuild that a crash interrupted, and reports whether there was one. If the new copies were not complete, Resume
// removes them, because the old copies, the backup or the remote copy have all of their records. An owner calls Resume before the server
// opens the store.
func Resume(lock *ownership.Lock) (done bool, err error) {
	dir := lock.Dir()
	p, found, err := planIn(dir)
	switch {
	case err != nil:
		return false, err
	case !found:
		return false, discard(dir)
	}
	return true, execute(lock, p.steps(dir))
}

// ResumeAnyhow puts an unreadable plan aside and calls Resume. damage is the error of reading the plan, empty if the plan was readable.
func ResumeAnyhow(lock *ownership.Lock) (damage string, err error) {
	if _, _, err := planIn(lock.Dir()); err != nil {
		damage = err.Error()
		if err := repairPlan(lock.Dir()); err != nil {
			return damage, err
		}
	}
	_, err = Resume(lock)
	return damage, err
}

// planIn returns the plan in a directory. found is false if there is none.
func planIn(dir string) (p plan, found bool, err error) {
	b, err := disk.ReadFile(filepath.Join(dir, planName), maxPlan)
	if errors.Is(err, fs.ErrNotExist) {
		return p, false, nil
	}
	if err != nil {
		return p, false, fmt.Errorf("rebuild: %w", err)
	}
	if err := json.Unmarshal(b, &p); err != nil {
		return p, false, fmt.Errorf("rebuild: %s: %w", filepath.Join(dir, planName), err)
	}
	return p, true, nil
}

// discard removes incomplete copies.
func discard(dir string) error {
	for _, name := range []string{archiveName + newSuffix, storeName + newSuffix, backupAside} {
		if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
			return fmt.Errorf("rebuild: %w", err)
		}
	}
	return nil
}

// newPlan returns the plan of a rebuild that begins now, without Epoch and Last. The names of the replaced copies have the plan's time.
func newPlan(o Options) plan {
	now := time.Now().UTC().Truncate(time.Millisecond)
	return plan{Entry: Entry{At: now, Reason: o.Reason, Automatic: o.Automatic}, Forget: o.forgets(), Drop: o.Remote != nil}
}

// The names inside a journal directory that this package reads and writes.
const (
	storeName   = "store"
	archiveName = "archive"
	spoolName   = "spool"
	newSuffix   = ".new"     // of a new copy, until it replaces the old one
	suspectMark = ".suspect" // of a replaced copy; the time follows
	headName    = "head"     // the newest sequence, see client.Head
	formatName  = "format"
	planName    = "rebuild" // the plan of a replacement, until its last step
	rebuiltName = "rebuilt" // the history of rebuilds
)

// Bounds of files that are read, in bytes.
const (
	maxPlan  = 16 << 20 // planName, rebuiltName
	maxAside = 64 << 20 // a file set aside from the spool; that of another build may be longer than any of this one
)

// removedNames holds what a rebuild removes, because it may contain forgotten events: derived files, the second links to the old store
// (store.kept), and what hooks remember (observed, usage). Earlier builds wrote words and common.
var removedNames = []string{"index", "sessions", "audits", "words", "common", "derived.db", "derived.db-journal", "observed", "usage", copies.ScrubName, copies.VerifiedName, "store.kept", filepath.Join("team", "store")}

// suspectTime is the format of the time in the name of a replaced copy, with the precision of newPlan.
const suspectTime = "20060102T150405.000Z"

// suspectOf returns the name of a replaced copy.
func suspectOf(name string, t time.Time) string {
	return name + suspectMark + "-" + t.UTC().Format(suspectTime)
}

// Suspects returns the paths of replaced copies in a directory: archives first, then stores, each oldest first.
func Suspects(dir string) []string {
	var all []string
	for _, name := range []string{archiveName, storeName} {
		all = append(all, disk.Match(dir, name+suspectMark+"-*")...)
	}
	return all
}
