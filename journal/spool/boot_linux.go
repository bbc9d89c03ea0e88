package spool

import (
	"os"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID is the first 8 hex digits of the kernel's boot id, which containers
// share with their host as they share its clock. Without /proc it is the zero
// boot, as for any appender that does not know.
var bootID = sync.OnceValue(func() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil || len(id) < bootLen || !isHex(string(id[:bootLen])) {
		return zeroBoot
	}
	return string(id[:bootLen])
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
