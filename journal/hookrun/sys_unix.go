//go:build unix

package hookrun

import (
	"os"
	"os/exec"
	"os/signal"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// NoCoreFiles lets no fault of this process leave a core.
func NoCoreFiles() {
	// A core of every broken hook would fill the disk; without the limit the
	// fault is as harmless as before.
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

// stderrTo redirects stderr to a file, also for the runtime's reports of faults.
func stderrTo(f *os.File) { _ = replaceFd(int(f.Fd()), int(os.Stderr.Fd())) }

// ownGroup makes a command run in a process group of its own.
func ownGroup(c *exec.Cmd) { c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

// endWithUs makes a termination signal end this process with 0, together with the process
// group of the command that start starts. No signal is handled between the command's start
// and the moment when its group is known.
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
			_ = syscall.Kill(-group, syscall.SIGTERM) // it may have ended already
		}
		os.Exit(0)
	}()
	return func(c *exec.Cmd) error {
		starting.Lock()
		defer starting.Unlock()
		if err := c.Start(); err != nil {
			return err
		}
		group = c.Process.Pid
		return nil
	}
}
