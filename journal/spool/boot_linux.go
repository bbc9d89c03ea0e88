package spool

import "golang.org/x/sys/unix"

// bootClock is the clock of sinceBoot: CLOCK_MONOTONIC stands still in a sleep, and CLOCK_REALTIME can go back.
const bootClock = unix.CLOCK_BOOTTIME
