//go:build !linux

package main

import (
	"context"
	"fmt"
	"runtime"
)

// able returns the error that nothing can be played on this system.
func able() error {
	return fmt.Errorf("%w: clients run apart from the network by namespaces of Linux, and this is %s", errCannot, runtime.GOOS)
}

// playApart returns the error of able.
func playApart(context.Context, string, string, string) (result, error) { return result{}, able() }

// playInside returns the error of able.
func playInside(context.Context, string, string, string) error { return able() }

// inTerminal returns the error of able.
func (*world) inTerminal(context.Context, string, []act, ...step) error { return able() }

// killed returns an empty check, which is never made.
func killed(...string) check { return check{} }
