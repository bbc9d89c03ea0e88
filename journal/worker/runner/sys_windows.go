package runner

import (
	"errors"
	"os/exec"
)

// Supported returns an error if runs are not possible on this system.
func Supported() error {
	return errors.New("workers need process groups, which Windows has not; use journal work detect, reduce and record")
}

// Without process groups these do nothing.
func ownGroup(*exec.Cmd)    {}
func ownSession(*exec.Cmd)  {}
func signalGroup(int, bool) {}
func groupLives(int) bool   { return false }

// IgnoreSignals does nothing on Windows.
func IgnoreSignals() {}

// Gate returns an error: it needs process groups.
func Gate([]string) error { return Supported() }
