//go:build unix && !linux

package hookrun

import "golang.org/x/sys/unix"

// replaceFd makes the descriptor target a copy of source.
func replaceFd(source, target int) error { return unix.Dup2(source, target) }
