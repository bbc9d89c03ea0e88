//go:build unix

package runner

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// Supported says why runs are not possible here, nil where they are.
func Supported() error { return nil }

// ownGroup lets a command run in a process group of its own.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// ownSession lets a command outlive this process, and what a terminal does to it.
func ownSession(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }

// signalGroup asks a process group to end, or makes it. It may be gone.
func signalGroup(pid int, kill bool) {
	how := syscall.SIGTERM
	if kill {
		how = syscall.SIGKILL
	}
	_ = syscall.Kill(-pid, how)
}

// groupLives says whether anything is in a process group.
func groupLives(pid int) bool { return !errors.Is(syscall.Kill(-pid, 0), syscall.ESRCH) }

// IgnoreSignals keeps the second process alive until the first is dead, whatever asks it to end.
func IgnoreSignals() { signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP) }

// Gate waits until the first process lets it through, and becomes the command then; when that
// process dies before, there is nothing to do. It returns only if the command cannot be run.
func Gate(argv []string) error {
	const passed = 3 // the first file beside stdin, stdout and stderr
	gate := os.NewFile(passed, "gate")
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
