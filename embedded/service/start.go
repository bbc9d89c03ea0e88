package service

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"journal/embedded"
)

// Start makes an owner of the directory start in the background, this program with the arguments
// owner --dir, unless one is there or could not start a moment ago. It does not wait for it. The
// lock is taken here and handed to the new process, so that of twenty callers at once one starts
// one.
func Start(dir string) error {
	if reason, _, recent := embedded.Failed(dir); recent {
		return fmt.Errorf("the owner could not start: %s", reason)
	}
	if err := embedded.Prepare(dir); err != nil {
		return err
	}
	lock, err := embedded.TryLock(dir)
	if errors.Is(err, embedded.ErrLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	exe, err := os.Executable()
	if err != nil {
		return errors.Join(err, lock.Release())
	}
	return embedded.Spawn(lock, []string{exe, "owner", "--dir", dir}, environ(os.Environ()))
}

// environ is what of a hook's environment its owner gets. An agent passes its credentials on to
// hooks; the owner, which outlives the session, has no use for them.
func environ(env []string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return name == "JOURNAL_SESSION" || !slices.Contains(inherited, name) &&
			!slices.ContainsFunc(inheritedPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
	})
}

var (
	inheritedPrefixes = []string{"JOURNAL_", "XDG_", "LC_"}
	inherited         = []string{
		"HOME", "PATH", "LANG", "TZ", "TMPDIR", "USER", "SYSTEMROOT", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP",
	}
)
