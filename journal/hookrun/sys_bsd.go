//go:build unix && !linux

package hookrun

import "golang.org/x/sys/unix"

// replaceFd makes the descriptor "to" a copy of the descriptor "from".
func replaceFd(from, to int) error { return unix.Dup2(from, to) }
