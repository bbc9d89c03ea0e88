package runner

import (
	"errors"
	"os/exec"
)

// Supported returns an error, because runs are not possible on this system.
func Supported() error {
	return errors.New("workers need process groups, which Windows has not; use journal work detect, reduce and record")
}

// These functions do nothing, because Windows has no process groups.
func ownGroup(*exec.Cmd)    {}
func ownSession(*exec.Cmd)  {}
func signalGroup(int, bool) {}
func groupLives(int) bool   { return false }

// IgnoreSignals does nothing on Windows.
func IgnoreSignals() {}

// Gate returns the error of Supported.
func Gate([]string) error { return Supported() }
