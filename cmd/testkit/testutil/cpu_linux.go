package testutil

import (
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// CPU returns how long a processor worked on f, which a busy machine does not lengthen as it does the time that passes. What
// f leaves to other goroutines is not counted.
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
