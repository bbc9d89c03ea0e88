//go:build unix

package git

import (
	"os/exec"
	"syscall"
)

// yield lets others have the processor before a command that has begun.
func yield(c *exec.Cmd) {
	const nice = 10
	_ = syscall.Setpriority(syscall.PRIO_PROCESS, c.Process.Pid, nice) // a favour
}

// ownGroup runs a command in a process group of its own, which is killed as a whole.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
