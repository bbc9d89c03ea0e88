//go:build unix

package spool

import (
	"sync"

	"golang.org/x/sys/unix"

	"journal/journal/wire/proc"
)

// bootID returns the first digits of the kernel's id of this boot. Containers share it with their host, like the clock.
var bootID = sync.OnceValue(func() string { return bootOf(proc.Boot()) })

// sinceBoot returns the nanoseconds since the start of the machine, sleep included.
func sinceBoot() uint64 {
	var ts unix.Timespec
	// The only error is EINVAL for a clock that the kernel does not have, and every kernel that Go supports has bootClock.
	_ = unix.ClockGettime(bootClock, &ts)
	return uint64(ts.Nano())
}
