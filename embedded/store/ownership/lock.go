// Package ownership makes one process the only owner of one journal directory. It manages the lock and its directory, and hands the lock
// from a hook to the owner that the hook starts. It does not depend on the server, so that a hook need not link it.
//
// The life of a lock:
//
//	Prepare   the directory is private to this user
//	TryLock   by a hook, which hands the locked file to a child with Spawn;
//	          the child takes it over with Inherited. Or the process keeps it.
//	Beat      every second, with Intact, while the owner lives
//	Release   the next owner may start
//
// A Holder is the owner's record in the lock file. A directory was replaced if another process removed it and created it again while its
// owner ran.
package ownership

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"journal/journal/disk"
	"journal/journal/wire/frame"
)

// Lock is the ownership of one journal directory: an exclusive lock on the open file owner.lock. It lasts until Release, Spawn or the
// end of the process, whichever comes first. Its methods may be called concurrently.
type Lock struct {
	dir string

	mu   sync.Mutex
	file *os.File // nil once released or handed over
}

// held keeps every lock of the process reachable. Otherwise the finaliser of an unreferenced lock file would close it and thereby release
// the lock, without a trace: 480 owners on one store were measured (ADR-0004 rule 2).
var held sync.Map

// lockPoll is the interval at which LockWithin retries.
const lockPoll = time.Millisecond

// lockAttempts bounds the attempts of TryLock. It retries if the lock file was replaced between opening and locking it.
const lockAttempts = 8

// TryLock takes the lock of dir without waiting. It returns ErrLocked if another open file has it, in this process or another, and
// ErrForeign if another machine seems to have it. dir must exist; see Prepare.
func TryLock(dir string) (*Lock, error) {
	for range lockAttempts {
		f, err := openLock(dir, os.O_CREATE)
		if err != nil {
			return nil, fmt.Errorf("lock %s: %w", dir, err)
		}
		l, err := tryFile(dir, f)
		if err != nil {
			f.Close()
			if errors.Is(err, ErrReplaced) {
				continue
			}
			return nil, fmt.Errorf("lock %s: %w", dir, err)
		}
		return l, nil
	}
	return nil, fmt.Errorf("lock %s: %w", dir, ErrReplaced)
}

// tryFile locks an opened lock file and checks that it is the one of dir. After an error the caller closes f, which also releases the
// lock.
func tryFile(dir string, f *os.File) (*Lock, error) {
	if err := lockFile(f); err != nil {
		return nil, err
	}
	if !isLockOf(dir, f) {
		return nil, ErrReplaced
	}
	if err := checkSpawn(dir); err != nil {
		return nil, err
	}
	if h, err := readHolder(f); err == nil && h.foreign() {
		return nil, fmt.Errorf("%w: %s, process %d", ErrForeign, h.Host, h.PID)
	}
	return keep(dir, f), nil
}

// LockWithin takes the lock of dir. It retries every millisecond until ctx is done. Then it returns an error that is both ErrLocked and the
// context's error. It returns every other error of TryLock at once.
func LockWithin(ctx context.Context, dir string) (*Lock, error) {
	tick := time.NewTicker(lockPoll)
	defer tick.Stop()
	for {
		l, err := TryLock(dir)
		if !errors.Is(err, ErrLocked) {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, errors.Join(err, ctx.Err())
		case <-tick.C:
		}
	}
}

// Held reports whether any process, including this one, holds the lock of dir. It tries to take the lock with another open file, so for
// some microseconds a concurrent TryLock of a free lock may return ErrLocked. Use Held for status, not to decide whether to lock.
func Held(dir string) bool {
	f, err := openLock(dir, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(probeFile(f), ErrLocked)
}

// Dir returns the directory of the lock.
func (l *Lock) Dir() string { return l.dir }

// Intact reports whether the lock still guards its directory: it is held, and the file at the lock's path is the held file. An owner
// checks it every second and before any stop (ADR-0004 rule 5).
func (l *Lock) Intact() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file != nil && isLockOf(l.dir, l.file)
}

// Release releases the lock and erases the record of Beat. A second Release, or one after Spawn, does nothing.
func (l *Lock) Release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.release()
}

// release implements Release. The caller holds l.mu.
func (l *Lock) release() error {
	if l.file == nil {
		return nil
	}
	// If the record stayed, another machine that shares the directory would have to wait until the heartbeat is older than foreignAge.
	if err := errors.Join(l.file.Truncate(0), unlockFile(l.file), l.closeFile()); err != nil {
		return fmt.Errorf("release %s: %w", l.dir, err)
	}
	return nil
}

// closeFile closes this process's descriptor of the lock file. If another process has the same open file, that process keeps the lock. The
// caller holds l.mu.
func (l *Lock) closeFile() error {
	held.Delete(l)
	f := l.file
	l.file = nil
	return f.Close()
}

// keep returns the Lock of a locked file, and keeps it reachable.
func keep(dir string, f *os.File) *Lock {
	l := &Lock{dir: dir, file: f}
	held.Store(l, true)
	return l
}

func lockPath(dir string) string { return filepath.Join(dir, "owner.lock") }

// openLock opens the lock file of dir. flag may be os.O_CREATE.
func openLock(dir string, flag int) (*os.File, error) {
	f, err := disk.OpenFile(lockPath(dir), os.O_RDWR|disk.NoFollow|flag, 0o600)
	if err != nil {
		return nil, err
	}
	if err := makePrivate(f); err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// makePrivate sets the mode of a file to 0600. A umask may have removed some of these bits.
func makePrivate(f *os.File) error {
	fi, err := f.Stat()
	if err != nil || fi.Mode().Perm() == 0o600 {
		return err
	}
	return f.Chmod(0o600)
}

// isLockOf reports whether f is the file at the lock path of dir.
func isLockOf(dir string, f *os.File) bool {
	have, err := f.Stat()
	if err != nil {
		return false
	}
	want, err := os.Lstat(lockPath(dir))
	return err == nil && os.SameFile(have, want)
}

// Build returns the number of this build, which orders builds: the time of the newest change of its source in Unix seconds, 0 if it is
// unknown.
var Build = sync.OnceValue(func() int64 {
	if n := frame.Build(); n != 0 {
		return n
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return 0
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if t, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return t.Unix()
			}
		}
	}
	return 0
})

// Outdated reports whether an owner of an older build than this program runs in a directory. Of two builds at most one finds the other's
// owner outdated. So two versions that are used in turn do not replace each other for ever.
func Outdated(dir string) bool {
	if Build() == 0 {
		return false
	}
	h, err := ReadHolder(dir)
	return err == nil && h.Build < Build() && Held(dir)
}

// StartSuccessor starts this program in the background as the successor of an outdated owner, which leaves after finishing its work. It
// does not wait. started is false if there is no outdated owner.
func StartSuccessor(dir string) (started bool, err error) {
	program, err := Executable()
	if err != nil || !Outdated(dir) {
		return false, err
	}
	return true, startFree([]string{program, "owner", "--successor", "--dir", dir}, environ(os.Environ()))
}
