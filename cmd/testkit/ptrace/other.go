//go:build !(linux && amd64)

package ptrace

import "errors"

// errHere is why nothing can be followed.
var errHere = errors.New("processes can be followed on linux/amd64 only")

// Available returns the reason why no process can be followed here, nil if one can.
func Available() error { return errHere }

// Follow lets the process and all that it starts be followed.
func Follow() error { return errHere }

// Say marks a place in the recording.
func Say(string) {}

// Run starts a process, follows it and all that it starts until it ends, and then kills what is left.
func Run(Config) (Recording, int, error) { return Recording{}, 0, errHere }
