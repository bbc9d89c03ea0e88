//go:build unix

package runner

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Supported returns nil: runs are possible on this system.
func Supported() error { return nil }

// ownGroup makes a command run in its own process group.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ownSession makes a command run in its own session, so that signals of the terminal do not reach it.
func ownSession(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// signalGroup asks a process group to end, or kills it. The group may have ended.
func signalGroup(pid int, kill bool) {
	sig := syscall.SIGTERM
	if kill {
		sig = syscall.SIGKILL
	}
	_ = syscall.Kill(-pid, sig)
}

// groupLives reports whether a process group has at least one process.
func groupLives(pid int) bool { return !errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) }

// IgnoreSignals makes this process ignore the signals that end a run. The guard calls it, so that it outlives the run and can
// end its workers.
func IgnoreSignals() { signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) }

// Gate waits until the runner opens the gate, and then replaces this process by the command. It returns an error if the runner
// dies before, or the command cannot be run.
func Gate(argv []string) error {
	const gateFD = 3 // the descriptor of the first file in exec.Cmd.ExtraFiles
	gate := os.NewFile(gateFD, "gate")
	if n, err := gate.Read(make([]byte, 1)); n == 0 {
		return errors.Join(errors.New("nobody opened the gate"), err)
	}
	gate.Close()
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return err
	}
	return syscall.Exec(path, argv, os.Environ())
}
