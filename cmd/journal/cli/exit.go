package cli

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
	ExitOK     = 0
	ExitError  = 1
	ExitUsage  = 2
	ExitDamage = 3
)

// ExitWith is an error that has been told, with its exit code.
type ExitWith int

func (e ExitWith) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// usageError is a mistake on the command line.
type usageError struct{ error }

func (u usageError) Unwrap() error { return u.error }

// Mistaken says that an error is a mistake on the command line.
func Mistaken(err error) error { return usageError{err} }

// IsMistaken says whether an error is a mistake on the command line.
func IsMistaken(err error) bool { return errors.As(err, new(usageError)) }

// Usage is a mistake on the command line of c, whose help says how it is done.
func Usage(c *cobra.Command, err error) error {
	if errors.Is(err, context.Canceled) {
		return err // nobody made one
	}
	return WithHint(usageError{err}, c.CommandPath()+" --help")
}

// damageError is damage that was found.
type damageError struct{ error }

func (d damageError) Unwrap() error { return d.error }

// Damaged gives an error about damage its own exit code.
func Damaged(err error) error {
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

// Hint says what a person can do; packages below have errors with one too.
func (h hintError) Hint() string { return h.hint }

// WithHint says what a person can do about an error: usually a command.
func WithHint(err error, hint string) error { return hintError{err, hint} }

// exitCode prints the error of a command once and gives the exit code.
func (a *App) exitCode(c *cobra.Command, err error) int {
	if err == nil {
		return ExitOK
	}
	var code ExitWith
	if errors.As(err, &code) {
		return int(code)
	}
	says, try := explained(a, c, err)
	fmt.Fprintf(a.Err, "error: %s\ntry: %s\n", says, a.Advice(try))
	var d damageError
	if errors.As(err, &d) {
		return ExitDamage
	}
	var u usageError
	if errors.As(err, &u) {
		return ExitUsage
	}
	return ExitError
}
