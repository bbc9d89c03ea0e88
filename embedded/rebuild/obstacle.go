package rebuild

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"journal/embedded"
	"journal/embedded/copies"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/journal/disk"
)

// Obstacle is a fault of a journal directory, other than damaged records, that keeps an owner from starting, from writing the second copy
// or from rebuilding the store.
type Obstacle struct {
	Where string // see copies.Bad
	Err   error  // the error that an owner would report
	Try   string // advice for a person; empty if a repair removes the obstacle
	// remove removes the obstacle before a repair reads the records. settle removes it after that. Both are nil if the rebuild of the store
	// removes it.
	remove, settle func(dir string) error
}

// Advice returns the command that removes the obstacle, or advice for a person.
func (o Obstacle) Advice() string { return cmp.Or(o.Try, "journal repair") }

// Further values of Obstacle.Where.
const (
	inLock    = "lock"
	inFormat  = "format"
	inPlan    = "plan"
	inHistory = "history"
)

// Obstacles returns the obstacles in a directory. It makes the checks that an owner makes at its start. It changes nothing, reads no
// record, and needs no owner.
func Obstacles(dir string) (all []Obstacle) {
	if ownership.Inspect(dir) != nil {
		return nil // the directory is missing, or may not be used: Prepare reports that
	}
	add := func(o Obstacle) {
		if o.Err == nil {
			return
		}
		if errors.Is(o.Err, fs.ErrPermission) {
			o.Try = accessAdvice(o.Err, dir)
		}
		all = append(all, o)
	}
	add(Obstacle{Where: inLock, Err: ownership.CheckLock(dir), remove: ownership.RepairLock})
	_, _, err := planIn(dir)
	add(Obstacle{Where: inPlan, Err: err, remove: repairPlan})
	format := Obstacle{Where: inFormat, Err: embedded.CheckFormat(dir), settle: repairFormat}
	switch {
	case errors.Is(format.Err, events.ErrNewer):
		format.Try = "install a newer version of this program"
	case errors.Is(format.Err, events.ErrUnreleased):
		format.Try = fmt.Sprintf("mv '%s' '%[1]s.before', then journal import PATH with the agents' transcripts", dir)
	}
	add(format)
	add(Obstacle{Where: copies.Store, Err: embedded.CheckAccess(dir)})
	_, unreadable := unreadableIn(filepath.Join(dir, archiveName))
	for _, err := range unreadable {
		add(Obstacle{Where: copies.Archive, Err: err, remove: repairArchive})
	}
	_, err = History(dir)
	add(Obstacle{Where: inHistory, Err: err, settle: repairHistory})
	return all
}

// unreadableIn returns the paths of the segments that cannot be opened, and the error of each. If the archive itself cannot be listed, it
// returns the path of the archive.
func unreadableIn(archive string) (paths []string, errs []error) {
	entries, err := disk.ReadDir(archive)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []string{archive}, []error{fmt.Errorf("open the archive: %w", err)}
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".zst") && !strings.HasSuffix(e.Name(), ".open") {
			continue // not a segment
		}
		path := filepath.Join(archive, e.Name())
		f, _, err := disk.Open(path)
		switch {
		case err == nil:
			f.Close()
		case !errors.Is(err, fs.ErrNotExist): // else it was sealed meanwhile
			paths, errs = append(paths, path), append(errs, fmt.Errorf("open the archive: %w", err))
		}
	}
	return paths, errs
}

// allowAccess makes the files and directories of both copies readable and writable, parents first, as far as they belong to this user.
// Obstacles reports the others.
func allowAccess(dir string) {
	for _, name := range []string{storeName, archiveName} {
		_ = filepath.WalkDir(filepath.Join(dir, name), func(path string, d fs.DirEntry, err error) error {
			if err != nil || !d.IsDir() && !d.Type().IsRegular() {
				return nil
			}
			need := fs.FileMode(0o600)
			if d.IsDir() {
				need = 0o700
			}
			if fi, err := d.Info(); err == nil && fi.Mode().Perm()&need != need {
				_ = os.Chmod(path, fi.Mode().Perm()|need)
			}
			return nil
		})
	}
}

// repairPlan puts an unreadable plan aside. A plan is written only when the new copies are complete. So if the old copy is gone, the new
// copy gets its name.
func repairPlan(dir string) error {
	for _, name := range []string{archiveName, storeName} {
		path := filepath.Join(dir, name)
		if exists(path+newSuffix) && !exists(path) {
			if err := rename(path+newSuffix, path); err != nil {
				return err
			}
		}
	}
	_, err := disk.PutAside(filepath.Join(dir, planName))
	return err
}

// repairFormat replaces an unreadable format file by one with the format of this program, which was able to read the records.
func repairFormat(dir string) error {
	if _, err := disk.PutAside(filepath.Join(dir, formatName)); err != nil {
		return err
	}
	return embedded.WriteFormat(dir)
}

// repairArchive puts the segments that cannot be opened aside. A rebuild writes them again.
func repairArchive(dir string) error {
	archive := filepath.Join(dir, archiveName)
	paths, errs := unreadableIn(archive)
	for i, path := range paths {
		// The directory of the archive stays, although it cannot be listed.
		if fi, err := os.Stat(path); path == archive && err == nil && fi.IsDir() {
			return errs[i]
		}
		if _, err := disk.PutAside(path); err != nil {
			return err
		}
	}
	return nil
}

// repairHistory puts an unreadable history aside.
func repairHistory(dir string) error {
	_, err := disk.PutAside(filepath.Join(dir, rebuiltName))
	return err
}
