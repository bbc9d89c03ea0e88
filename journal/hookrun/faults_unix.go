//go:build unix

package hookrun

import (
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"journal/journal/disk/logfile"
)

// NoCoreFiles lets no fault of this process leave a core.
func NoCoreFiles() {
	// A core of every broken hook would fill the disk; without the limit the
	// fault is as harmless as before.
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
}

func redirectFaults(dir string) {
	f, err := logfile.Open(dir)
	if err != nil {
		return
	}
	defer f.Close()
	_ = debug.SetCrashOutput(f, debug.CrashOptions{})
	_ = replaceFd(int(f.Fd()), int(os.Stderr.Fd()))
}
