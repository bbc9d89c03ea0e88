package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal"
)

// The exit codes, as the help of the verbs promises them.
const (
	exitOK     = 0
	exitError  = 1
	exitUsage  = 2
	exitDamage = 3
)

// exitWith is an error that has been told, with its exit code.
type exitWith int

func (e exitWith) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// usageError is a mistake on the command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

func usage(c *cobra.Command, err error) error {
	if errors.Is(err, context.Canceled) {
		return err // nobody made one
	}
	return withHint(usageError{err}, c.CommandPath()+" --help")
}

// damageError is damage that was found.
type damageError struct{ error }

func (d damageError) Unwrap() error { return d.error }

// damaged gives an error about damage its own exit code.
func damaged(err error) error {
	if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
		return damageError{err}
	}
	return err
}

// hintError is an error with what to do next.
type hintError struct {
	error
	hint string
}

func (h hintError) Unwrap() error { return h.error }

// withHint says what a person can do about an error: usually a command.
func withHint(err error, hint string) error { return hintError{err, hint} }

// exitCode prints the error of a command once and gives the exit code.
func (a *app) exitCode(c *cobra.Command, err error) int {
	if err == nil {
		return exitOK
	}
	var code exitWith
	if errors.As(err, &code) {
		return int(code)
	}
	says, try := a.explained(c, err)
	fmt.Fprintf(a.err, "error: %s\ntry: %s\n", says, a.advice(try))
	var d damageError
	if errors.As(err, &d) {
		return exitDamage
	}
	var u usageError
	if errors.As(err, &u) {
		return exitUsage
	}
	return exitError
}
