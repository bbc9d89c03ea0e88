package ownership

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"golang.org/x/sys/windows"

	"journal/journal/disk"
)

// lockedByte is the offset of the locked byte, far behind the content. On Windows a lock keeps other processes from reading the locked
// bytes, and ReadHolder must be able to read the content.
var lockedByte = windows.Overlapped{OffsetHigh: 1 << 30}

func lockFile(f *os.File) error {
	return lockEx(f, windows.LOCKFILE_EXCLUSIVE_LOCK)
}

// probeFile tries to take a shared lock, so that two probes do not mistake each other for an owner.
func probeFile(f *os.File) error { return lockEx(f, 0) }

func lockEx(f *os.File, flags uint32) error {
	offset := lockedByte
	err := windows.LockFileEx(windows.Handle(f.Fd()), flags|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, &offset)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return ErrLocked
	}
	if err != nil {
		return fmt.Errorf("lock file: %w", err)
	}
	return nil
}

func unlockFile(f *os.File) error {
	offset := lockedByte
	return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, &offset)
}

// spawnGrace is the time that a spawned owner has to take the lock. A process of Windows cannot hand its lock to another process. So Spawn
// leaves a note while it still has the lock, and TryLock does not take a free lock with a note younger than spawnGrace (ADR-0004 rule 1).
const spawnGrace = 2 * time.Second

func notePath(dir string) string { return filepath.Join(dir, "owner.spawn") }

// checkSpawn returns ErrLocked while an owner starts for which Spawn has left a note.
func checkSpawn(dir string) error {
	fi, err := os.Stat(notePath(dir))
	if err != nil {
		return nil
	}
	if age := time.Since(fi.ModTime()); age.Abs() < spawnGrace {
		return fmt.Errorf("%w, which is starting", ErrLocked)
	}
	return nil
}

// Spawn starts argv, detached and in the root directory of the program's volume, as the owner of l's directory. The lock is released before
// the child takes it with Inherited; a note keeps other processes from taking it in between. env is the child's environment; nil means the
// parent's. After an error the lock is released too.
func Spawn(l *Lock, argv, env []string) error {
	if !l.Intact() {
		return fmt.Errorf("spawn owner: %w", ErrClosed)
	}
	if err := spawn(l, argv, env); err != nil {
		return errors.Join(fmt.Errorf("spawn owner: %w", err), l.Release(), os.RemoveAll(notePath(l.dir)))
	}
	return nil
}

func spawn(l *Lock, argv, env []string) error {
	if err := disk.WriteFile(notePath(l.dir), nil, 0o600); err != nil {
		return err
	}
	if err := l.Release(); err != nil {
		return err
	}
	return start(argv, env)
}

// start starts argv in the background.
func start(argv, env []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = filepath.VolumeName(argv[0]) + `\` // a process keeps its working directory from being removed
	cmd.Env = env
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP}
	if err := cmd.Start(); err != nil {
		return err
	}
	return cmd.Process.Release()
}

// startFree starts argv without a lock.
func startFree(argv, env []string) error { return start(argv, env) }

// CloseInherited does nothing: Spawn passes no handles on except those of standard streams.
func CloseInherited(string) {}

// Inherited takes the lock that Spawn released for this process. It returns ErrNotInherited if Spawn left no note within spawnGrace, if
// another process has the lock, or if the lock file cannot be opened.
func Inherited(dir string) (*Lock, error) {
	if checkSpawn(dir) == nil { // no owner was spawned just now
		return nil, ErrNotInherited
	}
	f, err := openLock(dir, os.O_CREATE)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotInherited, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), spawnGrace)
	defer cancel()
	for {
		if err = lockFile(f); err == nil {
			break
		}
		select {
		case <-ctx.Done():
			f.Close()
			return nil, fmt.Errorf("%w: %w", ErrNotInherited, err)
		case <-time.After(lockPoll):
		}
	}
	if err := os.Remove(notePath(dir)); err != nil {
		f.Close()
		return nil, fmt.Errorf("%w: %w", ErrNotInherited, err)
	}
	return keep(dir, f), nil
}

// checkOwner accepts every directory: mode bits mean nothing on Windows, where directories inherit the access list of the user's
// profile.
func checkOwner(string, fs.FileInfo) error { return nil }
