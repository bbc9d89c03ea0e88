//go:build !unix

package look

import "os/exec"

// setProcessGroup does nothing: the command itself is killed, not what it started.
func setProcessGroup(*exec.Cmd) {}
