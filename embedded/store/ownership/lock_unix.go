//go:build unix

package ownership

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"
)

// inheritedFD is the descriptor of the lock file in a process started by Spawn: the first after the standard three.
const inheritedFD = 3

// lockFile takes the exclusive lock for the open file. flock belongs to the open file, not to the process, so the lock moves to a child
// with the file.
func lockFile(f *os.File) error { return flock(int(f.Fd()), unix.LOCK_EX) }

// probeFile tries to take a shared lock, so that two probes do not mistake each other for an owner.
func probeFile(f *os.File) error { return flock(int(f.Fd()), unix.LOCK_SH) }

func unlockFile(f *os.File) error { return flock(int(f.Fd()), unix.LOCK_UN) }

func flock(fd, operation int) error {
	for {
		switch err := unix.Flock(fd, operation|unix.LOCK_NB); {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.EWOULDBLOCK):
			return ErrLocked
		case err != nil:
			return fmt.Errorf("flock: %w", err)
		default:
			return nil
		}
	}
}

// checkSpawn returns nil: on this system an owner that starts has the lock already.
func checkSpawn(string) error { return nil }

// Spawn starts argv as the owner of l's directory and hands it the lock, which the child takes over with Inherited. The child runs in a
// session of its own, in the root directory, without standard streams. So it does not end with its parent, no caller waits for the end of
// its output, and it does not keep a file system mounted. The child closes other inherited files with CloseInherited. env is the child's
// environment; nil means the parent's. When Spawn returns, the child has the lock or, after an error, the lock is released.
func Spawn(l *Lock, argv, env []string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return fmt.Errorf("spawn owner: %w", ErrClosed)
	}
	if err := start(l.file, argv, env); err != nil {
		return errors.Join(fmt.Errorf("spawn owner: %w", err), l.release())
	}
	return l.closeFile()
}

// start starts argv. The process inherits the file, unless that is nil, as inheritedFD.
func start(file *os.File, argv, env []string) error {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = "/"
	cmd.Env = env
	if file != nil {
		cmd.ExtraFiles = []*os.File{file}
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		return err
	}
	// If this process outlives the owner, the owner must not stay as a zombie. The owner's log has the reason of its end.
	go func() { _ = cmd.Wait() }()
	return nil
}

// startFree starts argv without a lock.
func startFree(argv, env []string) error { return start(nil, argv, env) }

var inherited atomic.Bool // Inherited has succeeded

// Inherited takes over the lock that Spawn handed to this process. It returns ErrNotInherited if descriptor 3 is not the lock file of dir;
// then it does not touch the descriptor, which may be any file. It also returns ErrNotInherited if another open file has the lock. It
// succeeds once in the life of a process.
func Inherited(dir string) (*Lock, error) {
	if !isLockFile(dir) {
		return nil, fmt.Errorf("%w: descriptor %d is not %s", ErrNotInherited, inheritedFD, lockPath(dir))
	}
	// An open file that has the lock may lock again. Another open file may not while the lock is held.
	if err := flock(inheritedFD, unix.LOCK_EX); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotInherited, err)
	}
	if !Held(dir) {
		return nil, fmt.Errorf("%w: the file system of %s does not enforce file locks; use another one", ErrNotInherited, dir)
	}
	if inherited.Swap(true) {
		return nil, fmt.Errorf("%w: it was taken already", ErrNotInherited)
	}
	// Programs that the owner starts must not carry the lock on.
	unix.CloseOnExec(inheritedFD)
	return keep(dir, os.NewFile(inheritedFD, lockPath(dir))), nil
}

// checkOwner returns ErrUnsafeDir for a directory of another user, or one to which others may write.
func checkOwner(dir string, fi fs.FileInfo) error {
	if st, ok := fi.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		advice := fmt.Sprintf("run: sudo chown -R %d '%s' && chmod 700 '%s'", os.Geteuid(), dir, dir)
		if os.Geteuid() == 0 { // the log of a person who runs this by sudo must stay theirs
			advice = "run it as that user, without sudo"
		}
		return fmt.Errorf("%w: %s belongs to user %d, not to %d; %s", ErrUnsafeDir, dir, st.Uid, os.Geteuid(), advice)
	}
	if perm := fi.Mode().Perm(); perm&0o022 != 0 {
		return fmt.Errorf("%w: %s can be written by others (mode %04o); run: chmod 700 '%s'", ErrUnsafeDir, dir, perm, dir)
	}
	return nil
}
