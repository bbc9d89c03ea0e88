package git

import "os/exec"

func yield(*exec.Cmd) {}

// ownGroup leaves a command as it is: only itself is killed.
func ownGroup(*exec.Cmd) {}
