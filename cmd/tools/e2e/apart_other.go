//go:build !linux

package main

import (
	"context"
	"fmt"
	"runtime"
)

func able() error {
	return fmt.Errorf("%w: clients run apart from the network by namespaces of Linux, and this is %s", errCannot, runtime.GOOS)
}

func playApart(context.Context, string, string, string) (result, error) { return result{}, able() }

func playInside(context.Context, string, string, string) error { return able() }

func (*world) inTerminal(context.Context, string, []act, ...step) error { return able() }

// killed is no check where nothing can be played.
func killed(...string) check { return check{} }
