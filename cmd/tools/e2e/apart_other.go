//go:build !linux

package main

import (
	"context"
	"fmt"
	"runtime"
)

// checkNamespaces returns the error that nothing can be played on this system.
func checkNamespaces() error {
	return fmt.Errorf("%w: clients run apart from the network by namespaces of Linux, and this is %s", errCannot, runtime.GOOS)
}

// playApart returns the error of checkNamespaces.
func playApart(context.Context, string, string, string) (result, error) {
	return result{}, checkNamespaces()
}

// playInside returns the error of checkNamespaces.
func playInside(context.Context, string, string, string) error { return checkNamespaces() }

// inTerminal returns the error of checkNamespaces.
func (*world) inTerminal(context.Context, string, []act, ...step) error { return checkNamespaces() }

// killed returns an empty check, which is never made.
func killed(...string) check { return check{} }
