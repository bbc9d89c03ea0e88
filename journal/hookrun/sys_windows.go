package hookrun

import (
	"os"
	"os/exec"
)

// NoCoreFiles does nothing: Windows writes no core files.
func NoCoreFiles() {}

// stderrTo does nothing: the runtime writes faults to stderr.
func stderrTo(*os.File) {}

// handleSignals returns a function that starts a command. Windows has no signal that asks a process to end.
func handleSignals() (start func(*exec.Cmd) error) { return (*exec.Cmd).Start }
