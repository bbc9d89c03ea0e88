//go:build unix

package look

import (
	"os/exec"
	"syscall"
)

// setProcessGroup makes c start in a process group of its own, and makes a cancel kill the whole group.
func setProcessGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}
