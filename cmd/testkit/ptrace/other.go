//go:build !(linux && amd64)

package ptrace

import "errors"

// errSystem is the error of all functions on other systems than linux/amd64.
var errSystem = errors.New("processes can be traced on linux/amd64 only")

// Available returns the reason why no process can be traced.
func Available() error { return errSystem }

// Follow returns an error.
func Follow() error { return errSystem }

// Say does nothing.
func Say(string) {}

// Run returns an error.
func Run(Config) (Recording, int, error) { return Recording{}, 0, errSystem }
