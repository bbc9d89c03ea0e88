package main

import (
	"context"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"journal/journal/hookrun"
)

// A verb is one file: a package variable that registers what makes its command.
//
//	var _ = verb(func(a *app) *cobra.Command {
//		var t targetFlags // which session it is about
//		c := &cobra.Command{Use: …, GroupID: looking, Short: …, Long: … with the exit codes, Args: args(…), RunE: …}
//		t.add(c) // addNew for a verb that records
//		a.jsonFlag(c)
//		return c
//	})
//
// RunE works with what app gives: read runs a function on the log, target finds the
// session, state folds it, record appends, print shows the result in text or JSON.
// What a verb knows about its subject stands in the package of the subject.

// verbs are the commands of the program; each file of this package adds its own.
var verbs []func(*app) *cobra.Command

// verb registers a command. It returns a value so that it can run as a package
// variable.
func verb(make func(*app) *cobra.Command) struct{} {
	verbs = append(verbs, make)
	return struct{}{}
}

// quiet are the verbs that an agent runs: they never exit with anything but 0,
// whatever happens, and run before the command line is parsed.
var quiet = map[string]func(hookrun.Env, []string){}

// quietVerb registers one of them.
func quietVerb(name string, run func(hookrun.Env, []string)) struct{} {
	quiet[name] = run
	return struct{}{}
}

// Main runs the program and gives its exit code.
func Main() int { return newApp().main(os.Args[1:]) }

func (a *app) main(line []string) int {
	if run, args := a.quietVerb(line); run != nil {
		run(a.agentCall(), args)
		return exitOK
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends what the first one did not
	return a.run(ctx, line)
}

// run runs a command line and gives its exit code.
func (a *app) run(ctx context.Context, line []string) int {
	root := a.commands()
	root.SetArgs(line)
	root.SetOut(a.out)
	root.SetErr(a.err)
	return a.exitCode(root.ExecuteContextC(ctx))
}

// libraryVerbs are said in one tone with the others.
var libraryVerbs = map[string]string{"completion": "what a shell needs to complete verbs, sessions and types", "help": "help about a verb"}

// commands makes the tree of all commands.
func (a *app) commands() *cobra.Command {
	root := &cobra.Command{
		Use:           "journal",
		Short:         "what coding agents did, decided and forgot, kept in a log and given back",
		Version:       version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Long: `journal keeps what coding agents did, decided and forgot in a log that outlives
their compactions, and gives it back.

Most lists have --json; NO_COLOR keeps colours away, COLUMNS sets the width.

Exit codes: 0 success, 1 failure (error: and try: on stderr), 2 usage, 3 damage found.
journal hook and journal statusline always exit 0.`,
	}
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if err := a.confine(c); err != nil {
			return err
		}
		return a.chooseLog(c)
	}
	root.SetVersionTemplate("journal {{.Version}}\n")
	root.SetFlagErrorFunc(wrongFlag)
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) { foldLong(c); help(c, args) })
	root.SetUsageTemplate(helpTemplate(root.UsageTemplate()))
	root.PersistentFlags().Var((*directory)(&a.dir), "dir", "journal directory (JOURNAL_DIR)")
	root.PersistentFlags().Lookup("dir").DefValue = "" // journal config says it
	root.AddGroup(groups()...)
	root.SetHelpCommandGroupID(installing)
	root.SetCompletionCommandGroupID(installing)
	for _, make := range verbs {
		root.AddCommand(make(a))
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if said, ok := libraryVerbs[c.Name()]; ok {
			c.Short = said
		}
	}
	a.finish(root)
	return root
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

// directory is a flag's directory, as what it means here: an owner runs in another one.
type directory string

func (d *directory) String() string { return string(*d) }
func (d *directory) Type() string   { return "directory" }

func (d *directory) Set(s string) error {
	if s == "" {
		return errors.New("a directory is needed")
	}
	abs, err := filepath.Abs(s)
	*d = directory(abs)
	return err
}
