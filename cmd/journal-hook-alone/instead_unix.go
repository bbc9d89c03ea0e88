//go:build unix

package main

import (
	"os"
	"syscall"
)

// instead makes this process the large program: who shall be the owner itself while
// it needs one has to link the server. It returns when that is not there.
func instead(dir string, line []string) (done bool) {
	path, err := program(dir)
	if err != nil {
		return false
	}
	return syscall.Exec(path, call(path, dir, line), os.Environ()) == nil
}
