package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"journal/cmd/journal/config"
	"journal/embedded"
	"journal/embedded/store/rebuild"
	"journal/events"
	"journal/journal"
	"journal/journal/disk"
	"journal/journal/team"
	"journal/journal/wire/client"
	"journal/journal/wire/sock"
)

// knownFailure is a cause that is told in the words of a library, with those that tell a
// person what happened, and what to do.
type knownFailure struct {
	is   func(error) bool
	says string // instead of the whole error; the error as it is when empty
	try  string
	over bool // also over a hint that the error brings: it is about the cause
}

// failures are tried in their order, for errors that bring no hint of their own too.
var failures = []knownFailure{
	{oneOf(syscall.ENOSPC, syscall.EDQUOT), "", "make space, then journal doctor", true},
	{oneOf(fs.ErrPermission, syscall.EROFS), "", "make that path readable and writable for you, or name another with --dir", true},
	{oneOf(embedded.ErrSuspectStore, rebuild.ErrDamaged), "", "journal repair", true}, // it could not be mended by itself
	{oneOf(team.ErrNoMember), "", "journal team join INVITATION", true},
	{oneOf(team.ErrMember), "", "journal team leave", true},
	{oneOf(sock.ErrNoOwner, client.ErrBusy), "", "journal status", false},
	{oneOf(config.ErrFile), "", "journal config", false},
	{oneOf(context.Canceled), "interrupted", "the same command again", true},
	{oneOf(nats.ErrTimeout, nats.ErrNoResponders, context.DeadlineExceeded), "the owner of the log does not answer in time", "journal status, and journal stop when it hangs", false},
	{oneOf(nats.ErrConnectionClosed, jetstream.ErrConnectionClosed, jetstream.ErrServerShutdown, nats.ErrDisconnected, nats.ErrConnectionReconnecting),
		"the owner of the log left meanwhile", "the same command again", false},
	{isNATS, "the server of the log refused what was asked", "journal doctor", false},
	{oneOf(disk.ErrNotRegular), "", "name a file; a verb that takes - reads a pipe as stdin", true},
	{oneOf(syscall.ENOTDIR, syscall.EISDIR), "", "move what is in the way, or name another directory with --dir", false},
	{oneOf(fs.ErrNotExist), "", "check the path", false},
}

func oneOf(causes ...error) func(error) bool {
	return func(err error) bool {
		for _, c := range causes {
			if errors.Is(err, c) {
				return true
			}
		}
		return false
	}
}

// isNATS says whether an error is the server's or its client's.
func isNATS(err error) bool {
	var api *jetstream.APIError
	return errors.As(err, &api)
}

// explained gives what is said of an error, and what a person can try.
func explained(a *App, c *cobra.Command, err error) (says, try string) {
	says = err.Error()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		is := ": "
		if errors.Is(err, disk.ErrNotRegular) {
			is = " is "
		}
		says = strings.Replace(says, path.Error(), path.Path+is+path.Err.Error(), 1) // without the name of a system call
	}
	if what, hint, ok := strings.Cut(says, "; try: "); ok { // of a package that has no other way to say it
		return what, hint
	}
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		try = h.Hint()
	}
	if i := slices.IndexFunc(failures, func(f knownFailure) bool { return f.is(err) }); i >= 0 {
		f := failures[i]
		says = cmp.Or(f.says, says)
		if try == "" || f.over {
			try = f.try
		}
	}
	if errors.Is(err, client.ErrPaused) {
		try = resumes(a)
	}
	if try == "" {
		try = c.CommandPath() + " --help, or journal doctor"
	}
	return says, try
}

// ConnectionLost says whether an error means that the owner left.
func ConnectionLost(err error) bool {
	return errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, jetstream.ErrServerShutdown) ||
		errors.Is(err, jetstream.ErrConnectionClosed) || errors.Is(err, jetstream.ErrMsgIteratorClosed)
}

// resumes gives the command that lets the recording go on.
func resumes(a *App) string {
	switch all, projects, err := client.Pauses(a.Dir); {
	case err != nil || all || len(projects) == 0:
		return "journal resume"
	case len(projects) == 1:
		return "journal resume --project " + projects[0]
	default:
		return "journal resume --project " + a.ProjectKey("")
	}
}

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
