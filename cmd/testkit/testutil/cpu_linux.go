package testutil

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns the processor time that f takes in its own goroutine. Other work of the machine does not change it.
func CPU(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() time.Duration {
		var u unix.Rusage
		if err := unix.Getrusage(unix.RUSAGE_THREAD, &u); err != nil {
			panic(err) // it does not fail for a valid address
		}
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := used()
	f()
	return used() - before
}
