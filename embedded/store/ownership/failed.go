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

// failedPause is the time for which no owner is started after one could not start, because
// every hook would pay for another failure (ADR-0004 rule 7).
const failedPause = 30 * time.Second

// Failed returns why and when the last owner of dir could not start and which program noted
// that, and whether a hook should spool instead of starting another owner: if the failure is
// recent, and this program is not newer. at is zero if the last start succeeded.
func Failed(dir string) (reason string, at time.Time, recent bool) {
	f, there := readFailure(dir)
	if !there {
		return "", time.Time{}, false
	}
	return f.reason, f.at, f.recent() && f.by.compare(thisProgram()) >= 0
}

// RecordFailure leaves a reason for Failed: an owner could not start, or could not
// mend what it was to own. version is that of this program, for people. The lock of dir is
// held. What a newer program said a moment ago stays: it holds for this one too.
//
// It writes in place: on a full disk an empty file with its time remains, which is
// enough to stop the next hooks. It returns no error, because the caller knows the
// cause already.
func RecordFailure(dir, version string, cause error) {
	by := thisProgram()
	if f, there := readFailure(dir); there && f.recent() && f.by.compare(by) > 0 {
		return
	}
	said := fmt.Sprintf(authorLine, by.format, by.build, cmp.Or(version, "unknown"))
	_ = disk.WriteFile(failedPath(dir), []byte(said+"\n"+cause.Error()+"\n"), 0o600)
}

// RenewFailure reports whether the noted failure persists, so that nothing tries to start an owner.
// It needs no room on the disk. It does not touch the note of another program.
func RenewFailure(dir string) {
	if f, there := readFailure(dir); there && f.by.compare(thisProgram()) == 0 {
		now := time.Now()
		_ = os.Chtimes(failedPath(dir), now, now)
	}
}

// ForgetFailure removes the note of RecordFailure: an owner has started.
func ForgetFailure(dir string) error { return os.RemoveAll(failedPath(dir)) }

func failedPath(dir string) string { return filepath.Join(dir, "owner.failed") }

// failure is the note of RecordFailure.
type failure struct {
	by     author
	reason string // with the name of the program, where that is known
	at     time.Time
}

// A clock that was set back must not stop owners for ever.
func (f failure) recent() bool { return time.Since(f.at).Abs() < failedPause }

// author is the program that failed. A program that knows a later format of the directory counts as
// newer, whenever it was built: the reason that stops the older one does not apply to it.
type author struct {
	format int
	build  int64
}

func thisProgram() author { return author{events.Format, Build()} }

func (a author) compare(b author) int {
	return cmp.Or(cmp.Compare(a.format, b.format), cmp.Compare(a.build, b.build))
}

// authorLine begins the file.
const authorLine = "said by a program of format %d, build %d, version %s"

// readFailure reads the note of RecordFailure. A file without an author, such as an empty one, may be from this program.
func readFailure(dir string) (f failure, there bool) {
	fi, err := os.Stat(failedPath(dir))
	if err != nil || !fi.Mode().IsRegular() {
		return f, false
	}
	f = failure{by: thisProgram(), at: fi.ModTime()}
	b, err := disk.ReadFile(failedPath(dir), 1<<16)
	said := strings.TrimSpace(string(b))
	switch {
	case err != nil:
		f.reason = fmt.Sprintf("the reason cannot be read: %v", err)
	case said == "":
		f.reason = "there was no room for the reason: the disk was full"
	default:
		f = authored(f, said)
	}
	return f, true
}

// authored returns a failure with the author and reason of a file's content.
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
