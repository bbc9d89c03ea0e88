package spool

import (
	"sync"

	"golang.org/x/sys/unix"
)

// bootID is the kernel's boot session. kern.boottime would not do, because setting the
// clock moves it.
var bootID = sync.OnceValue(func() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid") // empty where the kernel has none
	return bootOf(id)
})

// sinceBoot counts nanoseconds since the start of the machine, sleep included.
// Of macOS's clocks only CLOCK_MONOTONIC_RAW does that and never steps:
// CLOCK_MONOTONIC is derived from the wall clock in microseconds, and the
// CLOCK_UPTIME family stands still in a sleep.
func sinceBoot() uint64 {
	var ts unix.Timespec
	// The one error is EINVAL for a clock the system lacks; it is there since
	// macOS 10.12, which Go requires.
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC_RAW, &ts)
	return uint64(ts.Nano())
}
