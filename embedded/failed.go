package embedded

import (
	"os"
	"strings"
	"time"
)

// failedPause is how long nobody starts an owner after one could not start,
// because every hook would pay for another failure (ADR-0004 rule 7).
const failedPause = 30 * time.Second

// Failed reports why and when Own last failed in dir, and whether that is so
// recent that a hook should spool instead of starting another owner. at is
// zero when the last start succeeded.
func Failed(dir string) (reason string, at time.Time, recent bool) {
	fi, err := os.Stat(failedPath(dir))
	if err != nil {
		return "", time.Time{}, false
	}
	if b, err := os.ReadFile(failedPath(dir)); err == nil {
		reason = strings.TrimSpace(string(b))
	}
	// A clock that was set back must not stop owners for ever.
	return reason, fi.ModTime(), time.Since(fi.ModTime()).Abs() < failedPause
}

// RecordFailure leaves a reason for Failed when an owner did not get as far as
// Own, or could not mend what Own leaves to its caller. The lock of dir is held.
func RecordFailure(dir string, cause error) { recordFailure(dir, cause) }

// recordFailure leaves the reason for Failed. It writes in place, not aside:
// on a full disk the empty file with its time remains, and that is what stops
// the next hooks. An error here has no one to go to; the cause is returned by
// Own anyway.
func recordFailure(dir string, cause error) {
	_ = os.WriteFile(failedPath(dir), []byte(cause.Error()+"\n"), 0o600)
}
