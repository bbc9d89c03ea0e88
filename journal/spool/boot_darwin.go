package spool

import (
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// bootID is the first 8 hex digits of the kernel's boot session id. Where the
// kernel does not tell it is the zero boot, as for any appender that does not
// know; kern.boottime is no replacement, since setting the clock moves it.
var bootID = sync.OnceValue(func() string {
	id, err := unix.Sysctl("kern.bootsessionuuid")
	if err != nil || len(id) < bootLen {
		return zeroBoot
	}
	boot := strings.ToLower(id[:bootLen])
	if !isHex(boot) {
		return zeroBoot
	}
	return boot
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
