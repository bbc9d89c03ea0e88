//go:build !linux

package testutil

import "time"

// CPU returns how long f took, because a thread's processor time is not as easily known as on Linux.
func CPU(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
