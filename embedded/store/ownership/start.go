package ownership

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"journal/journal/disk"
)

// Start starts this program in the background as the owner of a directory, unless there is an owner, or a start failed a moment ago. It
// takes the lock and hands it to the new process, so that of twenty callers only one starts an owner (ADR-0004 rule 1).
func Start(dir string) error {
	program, err := Executable()
	if err != nil {
		return err
	}
	if reason, _, recent := Failed(dir); recent {
		return fmt.Errorf("the owner could not start: %s", reason)
	}
	if err := Prepare(dir); err != nil {
		return err
	}
	lock, err := TryLock(dir)
	if errors.Is(err, ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	return Spawn(lock, []string{program, "owner", "--dir", dir}, environ(os.Environ()))
}

// Executable returns the path of the running program. If the system does not report the path, as Linux does not without /proc, Executable
// returns the path by which the program was called. It does not search for a bare name in PATH, which may hold directories of a project.
func Executable() (string, error) {
	path, err := os.Executable()
	if err == nil {
		return path, nil
	}
	if called := os.Args[0]; filepath.Base(called) != called {
		return filepath.Abs(called)
	}
	return "", fmt.Errorf("the path of this program is unknown; call it by its path: %w", err)
}

// environ returns the part of a hook's environment that the hook's owner gets. An agent passes its credentials to hooks. The owner, which
// outlives the session, must not have them.
func environ(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		if name == "JOURNAL_SESSION" { // the owner serves all sessions
			return true
		}
		hasPrefix := func(p string) bool { return strings.HasPrefix(name, p) }
		return !slices.Contains(passedOn, name) && !slices.ContainsFunc(passedPrefixes, hasPrefix)
	})
}

// The variables that an owner gets, by prefix and by name.
var (
	passedPrefixes = []string{"JOURNAL_", "XDG_", "LC_"}
	passedOn       = []string{
		"HOME", "PATH", "LANG", "TZ", "TMPDIR", "USER", "SYSTEMROOT", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP",
	}
)

// CheckLock returns an error if something is at the path of dir's lock file that cannot be opened as one. It changes nothing.
func CheckLock(dir string) error {
	f, err := disk.OpenFile(lockPath(dir), os.O_RDWR|disk.NoFollow, 0)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("lock %s: %w", dir, err)
	}
	return f.Close()
}

// RepairLock moves a directory or special file at the path of the lock file aside, because no process can lock it.
func RepairLock(dir string) error {
	fi, err := os.Lstat(lockPath(dir))
	if errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode().IsRegular() {
		return nil
	}
	if err != nil {
		return err
	}
	_, err = disk.PutAside(lockPath(dir))
	return err
}
