//go:build !unix

package look

import "os/exec"

// setProcessGroup does nothing: a cancel kills only the command itself, not the processes that it started.
func setProcessGroup(*exec.Cmd) {}
