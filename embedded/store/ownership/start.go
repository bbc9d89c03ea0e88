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

// Start makes program start as the owner of a directory unless one is there or could
// not start a moment ago. The lock is taken here and handed to the new process,
// so that of twenty callers one starts one (ADR-0004 rule 1).
func Start(dir, program string) error {
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

// Executable is the path of the program that runs. Where the system does not tell, as
// Linux does not without /proc, it is the one by which it was called, if that is a path:
// PATH may hold directories of a project.
func Executable() (string, error) {
	path, err := os.Executable()
	if err == nil {
		return path, nil
	}
	if called := os.Args[0]; filepath.Base(called) != called {
		return filepath.Abs(called)
	}
	return "", fmt.Errorf("where this program lies is not known (call it by its path): %w", err)
}

// environ is what of a hook's environment its owner gets. An agent passes its credentials on to
// hooks; the owner, which outlives the session, has no use for them.
func environ(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "JOURNAL_SESSION" || !slices.Contains(passedOn, name) &&
			!slices.ContainsFunc(passedPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	})
}

var (
	passedPrefixes = []string{"JOURNAL_", "XDG_", "LC_"}
	passedOn       = []string{
		"HOME", "PATH", "LANG", "TZ", "TMPDIR", "USER", "SYSTEMROOT", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP",
	}
)

// CheckLock says in the words of TryLock why nobody can take the lock of dir, whoever has it: something else stands in
// the place of its file. It changes nothing.
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

// MendLock puts aside what stands in the place of the lock file and is no file: nobody can hold it.
func MendLock(dir string) error {
	fi, err := os.Lstat(lockPath(dir))
	if errors.Is(err, fs.ErrNotExist) || err == nil && fi.Mode().IsRegular() {
		return nil
	}
	if err == nil {
		_, err = disk.PutAside(lockPath(dir))
	}
	return err
}
