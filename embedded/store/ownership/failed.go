package ownership

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/journal/disk"
)

// failedPause is how long nobody starts an owner after one could not start,
// because every hook would pay for another failure (ADR-0004 rule 7).
const failedPause = 30 * time.Second

// Failed reports why and when the last owner of dir could not start, and whether that is so
// recent that a hook should spool instead of starting another owner. at is
// zero when the last start succeeded.
func Failed(dir string) (reason string, at time.Time, recent bool) {
	fi, err := os.Stat(failedPath(dir))
	if err != nil || !fi.Mode().IsRegular() {
		return "", time.Time{}, false
	}
	if b, err := disk.ReadFile(failedPath(dir), 1<<16); err != nil {
		reason = fmt.Sprintf("the reason cannot be read: %v", err)
	} else {
		reason = cmp.Or(strings.TrimSpace(string(b)), "there was no room for the reason: the disk was full")
	}
	// A clock that was set back must not stop owners for ever.
	return reason, fi.ModTime(), time.Since(fi.ModTime()).Abs() < failedPause
}

// RecordFailure leaves a reason for Failed: an owner could not start, or could not
// mend what it was to own. The lock of dir is held.
//
// It writes in place, not aside: on a full disk the empty file with its time
// remains, and that is what stops the next hooks. An error here has no one to go
// to; the cause is known to the caller anyway.
func RecordFailure(dir string, cause error) {
	_ = disk.WriteFile(failedPath(dir), []byte(cause.Error()+"\n"), 0o600)
}

// RenewFailure says that what RecordFailure left is so still: whoever would start an owner
// need not wait for one. It needs no room on the disk.
func RenewFailure(dir string) {
	now := time.Now()
	_ = os.Chtimes(failedPath(dir), now, now)
}

// ForgetFailure takes back what RecordFailure left: an owner has started.
func ForgetFailure(dir string) error { return os.RemoveAll(failedPath(dir)) }

func failedPath(dir string) string { return filepath.Join(dir, "owner.failed") }
