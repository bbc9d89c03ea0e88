package ownership

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Start makes program start as the owner of a directory unless one is there or could
// not start a moment ago. The lock is taken here and handed to the new process,
// so that of twenty callers one starts one (DECISIONS 2.3 rule 1).
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
	return Spawn(lock, []string{program, "owner", "--dir", dir}, ownerEnv(os.Environ()))
}

// ownerEnv is what of a hook's environment its owner gets. An agent passes its
// credentials on to hooks (CLIENTS part 1 section 6); the owner, which outlives
// the session, has no use for them.
func ownerEnv(env []string) []string {
	var kept []string
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		switch {
		case strings.HasPrefix(name, "JOURNAL_") && name != "JOURNAL_SESSION",
			strings.HasPrefix(name, "XDG_"), strings.HasPrefix(name, "LC_"),
			slices.Contains([]string{"HOME", "PATH", "LANG", "TZ", "TMPDIR", "USER", "SYSTEMROOT", "LOCALAPPDATA", "USERPROFILE", "TEMP", "TMP"}, name):
			kept = append(kept, v)
		}
	}
	return kept
}
