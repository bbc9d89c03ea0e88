package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"journal/journal/hookrun"
)

// The exit codes, as CLI.md promises them.
const (
	exitOK     = 0
	exitError  = 1
	exitUsage  = 2
	exitDamage = 3
)

// verbs are the commands of the program; each file of this package adds its own.
var verbs []func(*app) *cobra.Command

// verb registers a command. It returns a value so that it can run as a package
// variable.
func verb(make func(*app) *cobra.Command) struct{} {
	verbs = append(verbs, make)
	return struct{}{}
}

// quiet are the verbs that an agent runs: they never exit with anything but 0,
// whatever happens, and run before the command line is parsed (DECISIONS 2.4).
var quiet = map[string]func(hookrun.Env, []string){}

// quietVerb registers one of them.
func quietVerb(name string, run func(hookrun.Env, []string)) struct{} {
	quiet[name] = run
	return struct{}{}
}

// Main runs the program and gives its exit code.
func Main() int {
	a := newApp()
	if run, args := a.quietVerb(os.Args[1:]); run != nil {
		run(a.agentCall(), args)
		return exitOK
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	root := &cobra.Command{
		Use:           "journal",
		Short:         "what coding agents did, decided and forgot, kept in a log and given back",
		SilenceErrors: true,
		SilenceUsage:  true,
		Long: `journal keeps what coding agents did, decided and forgot in a log that outlives
their compactions, and gives it back.

Exit codes: 0 success, 1 failure (error: and try: on stderr), 2 usage, 3 damage found.
journal hook and journal statusline always exit 0.`,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error { return usage(c, err) })
	root.PersistentFlags().StringVar(&a.dir, "dir", a.dir, "journal directory (JOURNAL_DIR)")
	for _, make := range verbs {
		root.AddCommand(make(a))
	}
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.report(root.ExecuteContext(ctx))
}

// quietVerb gives the quiet verb that a command line names, if any, and its
// arguments. A --dir in front of it counts here too.
func (a *app) quietVerb(line []string) (run func(hookrun.Env, []string), args []string) {
	line, dir := hookrun.Line(line, a.dir)
	if len(line) == 0 || asksForHelp(line[1:]) {
		return nil, nil
	}
	if run = quiet[line[0]]; run != nil {
		a.dir = dir
	}
	return run, line[1:]
}

func asksForHelp(args []string) bool {
	return len(args) > 0 && (args[0] == "-h" || args[0] == "--help")
}

// usageError is a mistake on the command line.
type usageError struct{ err error }

func (u usageError) Error() string { return u.err.Error() }

func usage(c *cobra.Command, err error) error {
	return withHint(usageError{err}, c.CommandPath()+" --help")
}

// hinted is an error with what to do next.
type hinted struct {
	err  error
	hint string
}

func (h hinted) Error() string { return h.err.Error() }
func (h hinted) Unwrap() error { return h.err }

// withHint says what a person can do about an error: usually a command.
func withHint(err error, hint string) error { return hinted{err, hint} }

// exitWith is an error that has been told, with its exit code.
type exitWith int

func (e exitWith) Error() string { return fmt.Sprintf("exit %d", int(e)) }

// report prints an error once and gives the exit code.
func (a *app) report(err error) int {
	if err == nil {
		return exitOK
	}
	var code exitWith
	if errors.As(err, &code) {
		return int(code)
	}
	fmt.Fprintf(a.err, "error: %v\n", err)
	var h hinted
	if errors.As(err, &h) {
		fmt.Fprintf(a.err, "try: %s\n", h.hint)
	}
	var d damageError
	if errors.As(err, &d) {
		return exitDamage
	}
	var u usageError
	if errors.As(err, &u) || strings.HasPrefix(err.Error(), "unknown command") {
		return exitUsage
	}
	return exitError
}

// args wraps a check of positional arguments so that a mistake counts as usage.
func args(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return usage(c, err)
		}
		return nil
	}
}
