package spool

import (
	"sync"

	"golang.org/x/sys/unix"
)

// bootID returns the first digits of the kernel's id of this boot. kern.boottime is no id,
// because setting the clock changes it.
var bootID = sync.OnceValue(func() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid") // empty where the kernel has none
	return bootOf(id)
})

// sinceBoot returns the nanoseconds since the start of the machine, sleep included.
// Of macOS's clocks only CLOCK_MONOTONIC_RAW does that and never steps:
// CLOCK_MONOTONIC is derived from the wall clock in microseconds, and the
// CLOCK_UPTIME family stands still in a sleep.
func sinceBoot() uint64 {
	var ts unix.Timespec
	// The only error is EINVAL for a clock that the system does not have. This one
	// exists since macOS 10.12, which Go requires.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts)
	return uint64(ts.Nano())
}
