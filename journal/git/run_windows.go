package git

import "os/exec"

// lowerPriority does nothing: on Windows git keeps the priority of this process.
func lowerPriority(*exec.Cmd) {}

// ownGroup does nothing: on Windows git is killed without its children.
func ownGroup(*exec.Cmd) {}
