package spool

import "golang.org/x/sys/unix"

// bootClock is the clock of sinceBoot, the only one of macOS that counts sleep and never steps: CLOCK_MONOTONIC is derived from
// the wall clock in microseconds, and the CLOCK_UPTIME family stands still in a sleep.
const bootClock = unix.CLOCK_MONOTONIC_RAW
