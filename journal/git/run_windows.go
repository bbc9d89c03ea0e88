package git

import "os/exec"

// ownGroup leaves a command as it is: only itself is killed.
func ownGroup(*exec.Cmd) {}
