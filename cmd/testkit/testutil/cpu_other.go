//go:build !linux

package testutil

import "time"

// CPU returns how long f took: elsewhere a thread's share of the processor is not known so easily.
func CPU(f func()) time.Duration {
	began := time.Now()
	f()
	return time.Since(began)
}
