package hookrun

import "golang.org/x/sys/unix"

// replaceFd makes the descriptor target a copy of source. It uses dup3, because not every architecture of Linux has dup2.
func replaceFd(source, target int) error { return unix.Dup3(source, target, 0) }
