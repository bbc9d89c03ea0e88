package ownership

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"journal/journal/disk"
	"journal/journal/spool/losses"
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

// Prepare makes dir, and the directories above it that are missing, with mode
// 0700 whatever the umask, and makes an existing dir of the current user 0700.
// It returns ErrUnsafeDir for a dir that is a symlink, belongs to another user
// or can be written by others, because what is in it can then be theirs; the
// error holds the command that makes it private.
func Prepare(dir string) error {
	if err := disk.MakePrivate(dir); err != nil {
		return fmt.Errorf("prepare journal directory: %w", err)
	}
	fi, err := inspect(dir)
	if err != nil {
		return err
	}
	if fi.Mode().Perm() != 0o700 {
		if err := os.Chmod(dir, 0o700); err != nil {
			return fmt.Errorf("prepare journal directory: %w", err)
		}
	}
	// Now, because a full disk takes no file. Without it a journal works as well.
	_ = losses.Make(dir)
	return nil
}

// Inspect looks at a directory as Prepare does and changes nothing. The error is
// fs.ErrNotExist for none and ErrUnsafeDir for one that Prepare refuses.
func Inspect(dir string) error {
	_, err := inspect(dir)
	return err
}

// Creatable tries whether a directory that is not there can be made, and leaves nothing of
// the trial behind.
func Creatable(dir string) error {
	parent := filepath.Dir(dir)
	for {
		_, err := os.Lstat(parent)
		if err == nil || filepath.Dir(parent) == parent {
			break
		}
		parent = filepath.Dir(parent)
	}
	tried, err := os.MkdirTemp(parent, ".journal-try-")
	if err != nil {
		return err
	}
	return os.Remove(tried)
}

func inspect(dir string) (fs.FileInfo, error) {
	fi, err := os.Lstat(dir)
	if err != nil {
		return nil, fmt.Errorf("journal directory: %w", err)
	}
	switch {
	case fi.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%w: %s is a symbolic link; name the directory it points to", ErrUnsafeDir, dir)
	case !fi.IsDir():
		return nil, fmt.Errorf("%w: %s is not a directory", ErrUnsafeDir, dir)
	}
	return fi, checkOwner(dir, fi)
}

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

// failedPause is how long nobody starts an owner after one could not start,
// because every hook would pay for another failure (ADR-0004 rule 7).
const failedPause = 30 * time.Second

// Failed reports why and when the last owner of dir could not start and which program says
// so, and whether a hook should spool instead of starting another owner: that is so recent,
// and this program is not a newer one. at is zero when the last start succeeded.
func Failed(dir string) (reason string, at time.Time, recent bool) {
	f, there := readFailure(dir)
	if !there {
		return "", time.Time{}, false
	}
	return f.reason, f.at, f.recent() && f.by.compare(author{Format, Build()}) >= 0
}

// RecordFailure leaves a reason for Failed: an owner could not start, or could not
// mend what it was to own. version is that of this program, for people. The lock of dir is
// held. What a newer program said a moment ago stays: it holds for this one too.
//
// It writes in place, not aside: on a full disk the empty file with its time
// remains, and that is what stops the next hooks. An error here has no one to go
// to; the cause is known to the caller anyway.
func RecordFailure(dir, version string, cause error) {
	by := author{Format, Build()}
	if f, there := readFailure(dir); there && f.recent() && f.by.compare(by) > 0 {
		return
	}
	said := fmt.Sprintf(authorLine, by.format, by.build, cmp.Or(version, "unknown"))
	_ = disk.WriteFile(failedPath(dir), []byte(said+"\n"+cause.Error()+"\n"), 0o600)
}

// RenewFailure says that what RecordFailure left is so still: whoever would start an owner
// need not wait for one. It needs no room on the disk. What another program left stays as it is.
func RenewFailure(dir string) {
	if f, there := readFailure(dir); there && f.by.compare(author{Format, Build()}) == 0 {
		now := time.Now()
		_ = os.Chtimes(failedPath(dir), now, now)
	}
}

// ForgetFailure takes back what RecordFailure left: an owner has started.
func ForgetFailure(dir string) error { return os.RemoveAll(failedPath(dir)) }

func failedPath(dir string) string { return filepath.Join(dir, "owner.failed") }

// failure is what RecordFailure left.
type failure struct {
	by     author
	reason string // with the name of the program, where that is known
	at     time.Time
}

// A clock that was set back must not stop owners for ever.
func (f failure) recent() bool { return time.Since(f.at).Abs() < failedPause }

// author is a program that failed. One that knows a later format of the directory is newer,
// whenever it was built: what keeps the older one out does not concern it.
type author struct {
	format int
	build  int64
}

func (a author) compare(b author) int {
	return cmp.Or(cmp.Compare(a.format, b.format), cmp.Compare(a.build, b.build))
}

// authorLine begins the file. Programs of before it take it for a part of the reason.
const authorLine = "said by a program of format %d, build %d, version %s"

// readFailure reads what RecordFailure left. A file without an author is of an older program;
// an empty or unreadable one may well be of this one.
func readFailure(dir string) (f failure, there bool) {
	fi, err := os.Stat(failedPath(dir))
	if err != nil || !fi.Mode().IsRegular() {
		return f, false
	}
	f = failure{by: author{Format, Build()}, at: fi.ModTime()}
	b, err := disk.ReadFile(failedPath(dir), 1<<16)
	said := strings.TrimSpace(string(b))
	switch {
	case err != nil:
		f.reason = fmt.Sprintf("the reason cannot be read: %v", err)
	case said == "":
		f.reason = "there was no room for the reason: the disk was full"
	default:
		f.by, f.reason = authorOf(said)
	}
	return f, true
}

// authorOf parts what a file says.
func authorOf(said string) (by author, reason string) {
	var version string
	head, reason, _ := strings.Cut(said, "\n")
	if _, err := fmt.Sscanf(head, authorLine, &by.format, &by.build, &version); err != nil {
		return author{}, said + ", says an older journal"
	}
	name := "journal " + version
	if by.build != 0 {
		name += " of " + time.Unix(by.build, 0).UTC().Format(time.DateTime)
	}
	return by, fmt.Sprintf("%s, says %s, which knows format %d", reason, name, by.format)
}
