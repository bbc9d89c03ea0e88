package ownership

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"journal/events"
	"journal/journal/disk"
)

// failedPause is the time for which no owner is started after a failed start, because every hook would pay for another failure (ADR-0004
// rule 7).
const failedPause = 30 * time.Second

// Failed returns the reason and time of the last failed start of an owner of dir. The reason names the program that recorded it. recent
// is true if a hook should spool instead of starting another owner: the failure is recent, and this program is not newer. The time is
// zero if the last start succeeded.
func Failed(dir string) (reason string, failedAt time.Time, recent bool) {
	f, ok := readFailure(dir)
	if !ok {
		return "", time.Time{}, false
	}
	return f.reason, f.at, f.recent() && f.by.compare(thisProgram()) >= 0
}

// RecordFailure records the reason for which an owner could not start, or could not repair its directory. version is that of this program,
// for people. The caller holds the lock of dir. A recent record of a newer program stays, because that failure applies to this program too.
//
// It writes in place: on a full disk an empty file remains, whose time is enough to stop the next hooks. It returns no error, because
// the caller has the cause already.
func RecordFailure(dir, version string, cause error) {
	by := thisProgram()
	if f, ok := readFailure(dir); ok && f.recent() && f.by.compare(by) > 0 {
		return
	}
	line := fmt.Sprintf(authorLine, by.format, by.build, cmp.Or(version, "unknown"))
	_ = disk.WriteFile(failedPath(dir), []byte(line+"\n"+cause.Error()+"\n"), 0o600)
}

// RenewFailure updates the time of a failure that persists, so that no process tries to start an owner. It needs no room on the disk. The
// record of another program stays as it is.
func RenewFailure(dir string) {
	if f, ok := readFailure(dir); ok && f.by.compare(thisProgram()) == 0 {
		now := time.Now()
		_ = os.Chtimes(failedPath(dir), now, now)
	}
}

// ForgetFailure removes the record of RecordFailure after an owner has started.
func ForgetFailure(dir string) error { return os.RemoveAll(failedPath(dir)) }

func failedPath(dir string) string { return filepath.Join(dir, "owner.failed") }

// failure is the record of RecordFailure.
type failure struct {
	by     author
	reason string // with the name of the program, if the file has it
	at     time.Time
}

// recent reports whether the failure is younger than failedPause. It uses the absolute age: a clock that was set back must not stop
// owners for ever.
func (f failure) recent() bool { return time.Since(f.at).Abs() < failedPause }

// author identifies the program that recorded a failure. A program that knows a later format of the directory counts as newer, whenever it
// was built: the reason that stops an older program does not apply to the newer one.
type author struct {
	format int
	build  int64
}

func thisProgram() author { return author{events.Format, Build()} }

// compare returns 1 if a is newer than b, -1 if it is older, else 0.
func (a author) compare(b author) int {
	return cmp.Or(cmp.Compare(a.format, b.format), cmp.Compare(a.build, b.build))
}

// authorLine is the format of the file's first line.
const authorLine = "said by a program of format %d, build %d, version %s"

// readFailure reads the record of RecordFailure. ok is false if there is none. A record without an author, such as an empty file, counts
// as this program's.
func readFailure(dir string) (f failure, ok bool) {
	fi, err := os.Stat(failedPath(dir))
	if err != nil || !fi.Mode().IsRegular() {
		return f, false
	}
	f = failure{by: thisProgram(), at: fi.ModTime()}
	b, err := disk.ReadFile(failedPath(dir), 1<<16)
	content := strings.TrimSpace(string(b))
	switch {
	case err != nil:
		f.reason = fmt.Sprintf("the reason cannot be read: %v", err)
	case content == "":
		f.reason = "there was no room for the reason: the disk was full"
	default:
		f = authored(f, content)
	}
	return f, true
}

// authored returns f with the author and reason from a file's content.
func authored(f failure, content string) failure {
	var by author
	var version string
	head, reason, _ := strings.Cut(content, "\n")
	if _, err := fmt.Sscanf(head, authorLine, &by.format, &by.build, &version); err != nil {
		f.reason = content
		return f
	}
	name := "journal " + version
	if by.build != 0 {
		name += " of " + time.Unix(by.build, 0).UTC().Format(time.DateTime)
	}
	f.by, f.reason = by, fmt.Sprintf("%s, says %s, which knows format %d", reason, name, by.format)
	return f
}
