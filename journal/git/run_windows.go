package git

import "os/exec"

// yield leaves a command as it is: its priority stays.
func yield(*exec.Cmd) {}

// ownGroup leaves a command as it is: only itself is killed.
func ownGroup(*exec.Cmd) {}
