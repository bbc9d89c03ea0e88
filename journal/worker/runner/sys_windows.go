package runner

import (
	"errors"
	"os/exec"
)

// Supported returns an error if runs are not possible on this system.
func Supported() error {
	return errors.New("workers need process groups, which Windows has not; use journal work detect, reduce and record")
}

func ownGroup(*exec.Cmd)    {}
func ownSession(*exec.Cmd)  {}
func signalGroup(int, bool) {}
func groupLives(int) bool   { return false }

// IgnoreSignals does nothing here.
func IgnoreSignals() {}

// Gate is for systems with process groups.
func Gate([]string) error { return Supported() }
