//go:build unix

package look

import (
	"os/exec"
	"syscall"
)

// ownGroup runs a command in a process group of its own, which is killed as a whole.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
