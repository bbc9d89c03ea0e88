package spool

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID returns the first digits of the kernel's id of this boot. Containers
// share it with their host, like the clock.
var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // empty without /proc
	return bootOf(string(id))
})

// sinceBoot returns the nanoseconds since the start of the machine, sleep included:
// CLOCK_MONOTONIC stands still in a sleep, and CLOCK_REALTIME can go back.
func sinceBoot() uint64 {
	var ts unix.Timespec
	// The only error is EINVAL for a clock that the kernel does not have, and
	// every kernel that Go supports has this one.
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)
	return uint64(ts.Nano())
}
