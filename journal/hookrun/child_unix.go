//go:build unix

package hookrun

import (
	"os"
	"os/exec"
	"os/signal"
	"syscall"
)

// ownGroup makes a command run in a process group of its own.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endWithUs makes a command end with this process: from now until stop is called
// a request to end is held, and passed on to the process group of the command
// once started has named it. The signals are caught before the command starts:
// one that came in between would end this process alone.
func endWithUs() (started func(*os.Process), stop func()) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	done := make(chan struct{})
	started = func(p *os.Process) {
		go func() {
			select {
			case <-signals:
				_ = syscall.Kill(-p.Pid, syscall.SIGTERM) // it may be gone already
				os.Exit(0)
			case <-done:
			}
		}()
	}
	return started, func() {
		signal.Stop(signals)
		close(done)
	}
}
