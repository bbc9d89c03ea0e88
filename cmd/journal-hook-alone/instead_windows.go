package main

import (
	"os"
	"os/exec"
)

// instead runs the large program: who shall be the owner itself while it needs one
// has to link the server. It is false when that could not be started.
func instead(dir string, line []string) (done bool) {
	path, err := program(dir)
	if err != nil {
		return false
	}
	argv := call(path, dir, line)
	c := exec.Command(path, argv[1:]...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := c.Start(); err != nil {
		return false
	}
	_ = c.Wait() // a hook ends with 0 whatever happens
	return true
}
