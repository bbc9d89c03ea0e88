package ownership

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
