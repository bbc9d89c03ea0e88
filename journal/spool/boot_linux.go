package spool

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID is the kernel's. Containers share it with their host, like its
// clock.
var bootID = sync.OnceValue(func() string {
	id, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // empty without /proc
	return bootOf(string(id))
})

// sinceBoot counts nanoseconds since the start of the machine, sleep included:
// CLOCK_MONOTONIC would stand still in a sleep, CLOCK_REALTIME can go back.
func sinceBoot() uint64 {
	var ts unix.Timespec
	// The one error is EINVAL for a clock the kernel lacks, and every kernel
	// that Go runs on has this one.
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &ts)
	return uint64(ts.Nano())
}
