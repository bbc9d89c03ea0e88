//go:build !linux

package testutil

import "time"

// CPU returns the time that f takes, because the processor time of a thread is not as easily known as on Linux.
func CPU(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
