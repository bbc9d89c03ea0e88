//go:build unix

package hookrun

import (
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"
)

// ownGroup makes a command run in a process group of its own.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endWithUs makes a request to end end this process with 0, and the process group of
// the command that start starts with it. None can come between a command's start and
// the knowledge of its group.
func endWithUs() (start func(*exec.Cmd) error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	signal.Ignore(syscall.SIGPIPE)
	var starting sync.Mutex
	group := 0
	go func() {
		<-signals
		starting.Lock()
		if group != 0 {
			_ = syscall.Kill(-group, syscall.SIGTERM) // it may be gone already
		}
		os.Exit(0)
	}()
	return func(c *exec.Cmd) error {
		starting.Lock()
		defer starting.Unlock()
		err := c.Start()
		if err == nil {
			group = c.Process.Pid
		}
		return err
	}
}
