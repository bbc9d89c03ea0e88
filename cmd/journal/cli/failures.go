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
	"journal/embedded/rebuild"
	"journal/events"
	"journal/journal"
	"journal/journal/agents/install"
	"journal/journal/disk"
	"journal/journal/wire/client"
	"journal/journal/wire/sock"
)

// knownFailure has a message and a hint for errors with one known cause.
type knownFailure struct {
	matches      func(error) bool
	message      string // replaces the whole error; empty keeps it
	hint         string // what to do
	replacesHint bool   // hint also replaces the error's own hint, because it is about the cause
}

// Failure registers the hint for errors with a cause that only one group of verbs has. The hint precedes those that were
// registered before. It returns a value so that it can initialise a package variable.
func Failure(cause error, hint string) struct{} {
	failures = append([]knownFailure{{oneOf(cause), "", hint, true}}, failures...)
	return struct{}{}
}

// failures lists the known failures. The first one that matches an error counts.
var failures = []knownFailure{
	{oneOf(syscall.ENOSPC, syscall.EDQUOT), "", "make space, then journal doctor", true},
	{func(err error) bool { return errors.As(err, new(*install.Error)) }, "", "", false}, // its own hint is about the settings
	{oneOf(fs.ErrPermission, syscall.EROFS), "", "give yourself read and write permission on that path, or choose another with --dir", true},
	{oneOf(embedded.ErrSuspectStore, rebuild.ErrDamaged), "", "journal repair", true}, // the owner could not repair it by itself
	{oneOf(rebuild.ErrUnknownFormat), "", "the version of this program that wrote it, or a newer one", true},
	{oneOf(events.ErrTooLarge), "", "a shorter text; a file can hold the rest", true},
	{oneOf(sock.ErrNoOwner, client.ErrBusy), "", "journal status", false},
	{oneOf(config.ErrFile), "", "journal config", false},
	{oneOf(context.Canceled), "interrupted", "the same command again", true},
	{oneOf(nats.ErrTimeout, nats.ErrNoResponders, context.DeadlineExceeded), "the owner of the log does not answer in time", "journal status, and journal stop if it hangs", false},
	{journal.OwnerLeft, "the owner of the log left meanwhile", "the same command again", false},
	{func(err error) bool { return errors.As(err, new(*jetstream.APIError)) }, "the log's server refused the request", "journal doctor", false},
	{oneOf(disk.ErrNotRegular), "", "name a file; a verb that takes - reads a pipe as stdin", false},
	{oneOf(syscall.ENOTDIR, syscall.EISDIR), "", "move what is in the way, or name another directory with --dir", false},
	{oneOf(fs.ErrNotExist), "", "check the path", false},
}

// oneOf returns a function that reports whether an error has one of some causes (errors.Is).
func oneOf(causes ...error) func(error) bool {
	return func(err error) bool {
		return slices.ContainsFunc(causes, func(c error) bool { return errors.Is(err, c) })
	}
}

// explain returns the message for an error of command c, and a hint for the person.
func explain(a *App, c *cobra.Command, err error) (message, try string) {
	message = err.Error()
	if path, ok := errors.AsType[*fs.PathError](err); ok {
		separator := ": "
		if errors.Is(err, disk.ErrNotRegular) {
			separator = " is "
		}
		message = strings.Replace(message, path.Error(), path.Path+separator+path.Err.Error(), 1) // without the name of a system call
	}
	if problem, hint, ok := strings.Cut(message, "; try: "); ok { // a hint of a package that returns plain errors
		return problem, hint
	}
	if h, ok := errors.AsType[interface {
		error
		Hint() string
	}](err); ok {
		try = h.Hint()
	} else if coded, ok := errors.AsType[codedError](err); ok && coded.code == ExitUsage {
		try = c.CommandPath() + " --help"
	}
	if i := slices.IndexFunc(failures, func(f knownFailure) bool { return f.matches(err) }); i >= 0 {
		f := failures[i]
		message = cmp.Or(f.message, message)
		if try == "" || f.replacesHint {
			try = f.hint
		}
	}
	if errors.Is(err, client.ErrPaused) {
		project := ""
		if f := c.Flags().Lookup("project"); f != nil {
			project = f.Value.String()
		}
		try = a.ResumeCommand(client.About{Project: project, Root: a.Root(project)})
	}
	return message, cmp.Or(try, c.CommandPath()+" --help, or journal doctor")
}

// ResumeCommand returns the command that ends the pause of a project. If none holds for it, the pause is that of the project in
// which its session began.
func (a *App) ResumeCommand(about client.About) string {
	holding, _ := client.PausesOf(a.Dir, about) // none if they cannot be read
	if len(holding) == 0 {
		_, holding, _ = client.Pauses(a.Dir)
		if len(holding) > 1 {
			return "journal status, which names the paused projects"
		}
	}
	if len(holding) == 0 || holding[0] == client.Everywhere {
		return "journal resume"
	}
	return "journal resume --project " + holding[0]
}

// The exit codes that the help of the verbs promises.
const (
	ExitOK     = 0
	ExitError  = 1
	ExitUsage  = 2
	ExitDamage = 3
)

// ExitWith is the exit code of an error that has already been printed.
type ExitWith int

// Error implements error.
func (e ExitWith) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// ExitIf returns ExitWith(code) if failed is set, else nil. The failure must have been printed already.
func ExitIf(failed bool, code int) error {
	if failed {
		return ExitWith(code)
	}
	return nil
}

// codedError is an error that ends the program with an exit code of its own.
type codedError struct {
	error
	code int
}

// Unwrap returns the error without its exit code.
func (c codedError) Unwrap() error { return c.error }

// Usage marks an error as a mistake on the command line, so that the program ends with ExitUsage. Unless err has a hint, the hint
// is the help of the command.
func Usage(err error) error {
	if errors.Is(err, context.Canceled) {
		return err // an interruption is no mistake
	}
	return codedError{err, ExitUsage}
}

// Damaged makes an error about lost or malformed events end the program with ExitDamage; any other error stays as it is.
func Damaged(err error) error {
	if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
		return codedError{err, ExitDamage}
	}
	return err
}

// hintError is an error with a hint.
type hintError struct {
	error
	hint string
}

// Unwrap returns the error without its hint.
func (h hintError) Unwrap() error { return h.error }

// Hint returns the next step for a person. Errors of lower packages may have this method too.
func (h hintError) Hint() string { return h.hint }

// WithHint adds a hint to an error: what a person can do about it, usually a command. A nil error stays nil.
func WithHint(err error, hint string) error {
	if err == nil {
		return nil
	}
	return hintError{err, hint}
}

// exitCode returns the exit code for the error of a command, nil for none. It prints the error with a hint, unless that was done
// already (ExitWith).
func exitCode(a *App, c *cobra.Command, err error) int {
	if err == nil {
		return ExitOK
	}
	if code, ok := errors.AsType[ExitWith](err); ok {
		return int(code)
	}
	message, try := explain(a, c, err)
	fmt.Fprintf(a.Err, "error: %s\ntry: %s\n", message, a.Advice(try))
	if coded, ok := errors.AsType[codedError](err); ok {
		return coded.code
	}
	return ExitError
}
