//go:build unix && !linux

package hookrun

import "golang.org/x/sys/unix"

// replaceFd makes to mean what from means.
func replaceFd(from, to int) error { return unix.Dup2(from, to) }
