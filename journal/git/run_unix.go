//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// lowerPriority lowers the priority of a running command.
func lowerPriority(c *exec.Cmd) {
	const nice = 10
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, c.Process.Pid, nice) // its error does not matter
}

// ownGroup runs a command in a process group of its own, which is killed as a whole.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
