// Package ownership makes one process the only owner of one journal directory: the
// lock, the directory around it, and how a hook hands the lock to the owner that it
// starts. It does not depend on the server, so that a hook need not link that.
//
// The life of a lock:
//
//	Prepare   the directory is private to this user
//	TryLock   by a hook, which hands the locked file to a child with Spawn;
//	          the child takes it over with Inherited. Or the process keeps it.
//	Beat      every second, with Intact, while the owner lives
//	Release   the next owner may start
//
// Holder: what the owner wrote about itself into the lock file. Replaced: the
// directory of a running owner was removed and made anew by someone else.
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

// Lock is the ownership of one journal directory: an exclusive lock on the
// open file owner.lock. It lasts until Release, Spawn or the end of the
// process, whichever comes first. Its methods may be called concurrently.
type Lock struct {
	dir string

	mu   sync.Mutex
	file *os.File // nil once released or handed over
}

// held keeps every lock of the process reachable. A lock file that nobody
// refers to is closed by its finaliser and the lock is gone without a trace:
// measured, 480 owners on one store (ADR-0004 rule 2).
var held = struct {
	sync.Mutex
	locks map[*Lock]struct{}
}{locks: map[*Lock]struct{}{}}

// lockPoll is the interval at which LockWithin retries.
const lockPoll = time.Millisecond

// lockAttempts bounds how often TryLock starts over because the lock file was
// replaced between opening and locking it.
const lockAttempts = 8

// TryLock takes the lock of dir without waiting. It returns ErrLocked when
// another open file has it, here or in another process, and ErrForeign when
// another machine seems to. dir must exist; see Prepare.
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

// tryFile locks an opened lock file and checks that the lock means something.
// On an error the caller closes f, which also gives up a lock already taken.
func tryFile(dir string, f *os.File) (*Lock, error) {
	if err := lockFile(f); err != nil {
		return nil, err
	}
	if !isLockOf(dir, f) {
		return nil, ErrReplaced
	}
	if err := spawning(dir); err != nil {
		return nil, err
	}
	if h, err := readHolder(f); err == nil && h.foreign() {
		return nil, fmt.Errorf("%w: %s, process %d", ErrForeign, h.Host, h.PID)
	}
	return keep(dir, f), nil
}

// LockWithin takes the lock of dir, asking every millisecond until ctx is
// done; then it returns an error that is both ErrLocked and the context's. It
// is for the inline mode, whose callers give at most 50 ms (ADR-0004 rule 15).
// Every other error of TryLock is returned at once.
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

// Held reports whether somebody, this process included, holds the lock of
// dir. It proves it by asking for the lock from another open file, so for some
// microseconds a concurrent TryLock of a free lock may see ErrLocked; it is
// meant for status, not for deciding whether to lock.
func Held(dir string) bool {
	f, err := openLock(dir, 0)
	if err != nil {
		return false
	}
	defer f.Close()
	return errors.Is(probeFile(f), ErrLocked)
}

// Dir is the directory that the lock is for.
func (l *Lock) Dir() string { return l.dir }

// Intact reports whether the lock still guards its directory: it is held, and
// the file at the lock's path is the file that is held. An owner asks every
// second and before any stop (ADR-0004 rule 5).
func (l *Lock) Intact() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file != nil && isLockOf(l.dir, l.file)
}

// Release releases the lock and erases what Beat wrote. Releasing twice, or
// after Spawn, does nothing.
func (l *Lock) Release() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return nil
	}
	// Without this the next machine that shares the directory would wait until the
	// last heartbeat is old.
	if err := errors.Join(l.file.Truncate(0), unlockFile(l.file), l.letGo()); err != nil {
		return fmt.Errorf("release %s: %w", l.dir, err)
	}
	return nil
}

// letGo closes our copy of the lock file; the lock itself stays with whoever
// else has the open file. l.mu is held.
func (l *Lock) letGo() error {
	held.Lock()
	delete(held.locks, l)
	held.Unlock()
	f := l.file
	l.file = nil
	return f.Close()
}

func keep(dir string, f *os.File) *Lock {
	l := &Lock{dir: dir, file: f}
	held.Lock()
	held.locks[l] = struct{}{}
	held.Unlock()
	return l
}

func lockPath(dir string) string { return filepath.Join(dir, "owner.lock") }

func openLock(dir string, flag int) (*os.File, error) {
	f, err := disk.OpenFile(lockPath(dir), os.O_RDWR|disk.NoFollow|flag, 0o600)
	if err != nil {
		return nil, err
	}
	fi, err := f.Stat()
	if err == nil && fi.Mode().Perm() != 0o600 {
		err = f.Chmod(0o600) // A umask may have narrowed it.
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
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

// Build orders the builds of the program: it is the time of the newest change in the
// source of this build, in Unix seconds; 0 if the build does not know it.
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
			if at, err := time.Parse(time.RFC3339, s.Value); err == nil {
				return at.Unix()
			}
		}
	}
	return 0
})

// Outdated reports whether an owner of an older build than this program runs in a
// directory. Of two builds at most one finds the other's owner outdated, so that two
// versions that are used in turn do not replace each other for ever.
func Outdated(dir string) bool {
	if Build() == 0 {
		return false
	}
	h, err := ReadHolder(dir)
	return err == nil && h.Build < Build() && Held(dir)
}

// Succeed starts program as the successor of an outdated owner, which is asked to make
// way after finishing its work. It does not wait.
func Succeed(dir, program string) (started bool, err error) {
	if !Outdated(dir) {
		return false, nil
	}
	return true, startFree([]string{program, "owner", "--successor", "--dir", dir}, environ(os.Environ()))
}
