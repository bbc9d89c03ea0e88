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

// NoCoreFiles prevents core files of this process: the core files of broken hooks would fill the disk.
func NoCoreFiles() {
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

// stderrTo redirects stderr to a file, also for the runtime's reports of faults.
func stderrTo(f *os.File) { _ = replaceFd(int(f.Fd()), int(os.Stderr.Fd())) }

// handleSignals makes this process exit with 0 on a termination signal. start starts a command in a process group of its own, which
// gets the signal too. A signal that arrives during start is handled when the command's group is known.
func handleSignals() (start func(*exec.Cmd) error) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, os.Interrupt)
	signal.Ignore(syscall.SIGPIPE)
	var starting sync.Mutex
	group := 0
	go func() {
		<-signals
		starting.Lock()
		if group != 0 {
			_ = syscall.Kill(-group, syscall.SIGTERM) // the command may have ended already
		}
		os.Exit(0)
	}()
	return func(c *exec.Cmd) error {
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
		starting.Lock()
		defer starting.Unlock()
		if err := c.Start(); err != nil {
			return err
		}
		group = c.Process.Pid
		return nil
	}
}
