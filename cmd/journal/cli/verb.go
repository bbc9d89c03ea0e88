// Package cli holds what the verbs share: the registry of verbs, how a verb reaches
// the log, which session it is about, what it prints and where, and its exit codes.
package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"journal/embedded/store/ownership"
	"journal/events/text"
	"journal/journal/hookrun"
)

// A verb has a file in the package of its group, with a package variable that registers the function that makes its command:
//
//	var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
//		var t cli.TargetFlags // which session it is about
//		c := cli.NewCommand("verb WORD", short, long, func(c *cobra.Command, args []string) error {…})
//		t.Add(c) // AddNew for a verb that records
//		return a.JSONFlag(c)
//	})
//
// The command uses the methods of App: Read runs a function on the log, Target finds the session, State folds it, Record
// appends, Print shows the result as text or JSON. The logic of a verb's subject belongs in the subject's package.

// verbs are the functions that make the commands of the program.
var verbs []func(*App) *cobra.Command

// Verb registers a command in a group of the help; group "" is for topics and hidden commands. It returns a value so that it
// can initialise a package variable. Arguments are checked against the command's usage (checkArguments).
func Verb(group string, make func(*App) *cobra.Command) struct{} {
	verbs = append(verbs, func(a *App) *cobra.Command {
		c := make(a)
		c.GroupID = group
		return c
	})
	return struct{}{}
}

// NewCommand makes a command. use is its usage, short its description in a line, long its help. run is nil for a command that
// only has subcommands, or is a topic of the help.
func NewCommand(use, short, long string, run func(c *cobra.Command, args []string) error) *cobra.Command {
	return &cobra.Command{Use: use, Short: short, Long: long, RunE: run, Annotations: map[string]string{}}
}

// quiet holds the verbs of hooks by name. They return the exit code, and run before the command line is parsed.
var quiet = map[string]func(hookrun.Env, []string) int{}

// QuietVerb registers a verb of hooks. It returns a value so that it can initialise a package variable.
func QuietVerb(name string, run func(hookrun.Env, []string) int) struct{} {
	quiet[name] = run
	return struct{}{}
}

// Main runs the program and returns its exit code. release is its version, empty for a build that is no release.
func Main(release string) int {
	builtAs = release
	return NewApp().Main(os.Args[1:])
}

// Main runs a command line, that of a hook too, and returns the exit code.
func (a *App) Main(line []string) int {
	if run, args := quietOf(a, line); run != nil {
		return run(a.HookEnv(), args)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal kills the process
	return a.Run(ctx, line)
}

// Run runs a command line that is no hook's, and returns the exit code.
func (a *App) Run(ctx context.Context, line []string) int {
	root := a.Commands()
	root.SetArgs(line)
	root.SetOut(a.Out)
	root.SetErr(a.Err)
	c, err := root.ExecuteContextC(ctx)
	if err != nil {
		return exitCode(a, c, err)
	}
	return exitCode(a, c, writeError(a.Out))
}

// helpAbout prints the help of the verb that the words name, or for "all" the list of verbs.
func helpAbout(root *cobra.Command, words []string) error {
	if len(words) == 1 && words[0] == everything {
		return root.Usage()
	}
	c, unknown, err := root.Find(words)
	if err != nil || c == root && len(words) > 0 {
		return root.RunE(root, words) // the error that words[0] is no verb
	}
	if len(unknown) > 0 && c.HasSubCommands() {
		return c.RunE(c, unknown)
	}
	return c.Help()
}

// libraryVerbs holds the descriptions of the verbs that the library adds, by name.
var libraryVerbs = map[string]string{"completion": "scripts with which a shell completes verbs, sessions and types", "help": "help about a verb"}

// Commands makes the tree of all commands.
func (a *App) Commands() *cobra.Command {
	root := &cobra.Command{
		Use:           "journal",
		Short:         "a log of what coding agents did and decided, restored after a compaction",
		Version:       Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Annotations:   map[string]string{},
		Long: `journal records what coding agents do in a log on this machine, and restores for them
what a compaction of their context took.

Most lists have --json. --dir or JOURNAL_DIR names another log. NO_COLOR turns colours
off, COLUMNS sets the width.

Exit codes: 0 success, 1 failure (error: and try: on stderr), 2 usage, 3 damage found.
journal hook always exits 0.`,
	}
	root.PersistentPreRunE = func(c *cobra.Command, _ []string) error {
		if err := a.confine(c); err != nil || a.Colleague == "" {
			return err
		}
		return team.Choose(a, c)
	}
	root.SetVersionTemplate("journal {{.Version}}\n")
	root.SetFlagErrorFunc(wrongFlag)
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if c == root {
			fmt.Fprint(c.OutOrStdout(), overview(root))
			return
		}
		FoldLong(c)
		help(c, args)
	})
	root.SetUsageTemplate(strings.ReplaceAll(root.UsageTemplate(), "Flags.FlagUsages", fmt.Sprint("Flags.FlagUsagesWrapped ", helpColumns)))
	root.PersistentFlags().Func("dir", "journal directory (JOURNAL_DIR)", a.setDir)
	root.AddGroup(groups...)
	root.SetHelpCommandGroupID(Installing)
	root.SetCompletionCommandGroupID(Installing)
	for _, make := range verbs {
		root.AddCommand(make(a))
	}
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	addBashFallback(root)
	for _, c := range root.Commands() {
		if help, ok := libraryVerbs[c.Name()]; ok {
			c.Short = help
		}
		if c.Name() == "help" {
			c.RunE = func(_ *cobra.Command, words []string) error { return helpAbout(root, words) }
		}
	}
	finish(a, root)
	return root
}

// quietOf returns the verb of a hook that a command line names, and its arguments; run is nil if it names none. A --dir
// before the verb sets a.Dir.
func quietOf(a *App, line []string) (run func(hookrun.Env, []string) int, args []string) {
	line, dir := hookrun.CutDirFlag(line, a.Dir)
	if len(line) == 0 || len(line) > 1 && (line[1] == "-h" || line[1] == "--help") {
		return nil, nil
	}
	if run = quiet[line[0]]; run != nil {
		a.Dir = dir
	}
	return run, line[1:]
}

// setDir takes the value of --dir: the directory of a journal, or one that does not exist yet. It makes the path absolute, because
// an owner runs in another working directory.
func (a *App) setDir(dir string) error {
	if dir == "" {
		return errors.New("a directory is needed")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if ownership.HasOtherUse(abs) {
		return fmt.Errorf("%s holds other files than a journal's; a project is named by --project", abs)
	}
	a.Dir = abs
	return nil
}

// The groups of verbs in the help. A verb names its group.
const (
	Daily      = "day"
	Looking    = "look"
	Recording  = "record"
	Caring     = "care"
	Installing = "install"
)

// groups lists the groups in the order of the help.
var groups = []*cobra.Group{
	{ID: Daily, Title: "Every day:"},
	{ID: Looking, Title: "Look closer, and restore:"},
	{ID: Recording, Title: "Record (agents do it by themselves):"},
	{ID: Caring, Title: "Care for the log:"},
	{ID: Installing, Title: "Set up, and what agents call:"},
}

// builtAs is the version of a release; empty for any other build.
var builtAs string

// pseudo matches a pseudo-version, which the go command makes for a commit without a tag.
var pseudo = text.Pattern(`[-.]\d{14}-[0-9a-f]{12}`)

// isRelease reports whether the version of a module is a tag, also with +dirty, as the go command marks changed source.
func isRelease(v string) bool { return strings.HasPrefix(v, "v") && !pseudo().MatchString(v) }

// Version returns the version of this program. That of a release is its tag, also if the go command installed it. Any other
// build has the commit of its source, with + if the source was changed, or "devel" if the commit is not known.
func Version() string {
	if builtAs != "" {
		return builtAs
	}
	build, ok := debug.ReadBuildInfo()
	if !ok {
		return "devel"
	}
	v, dirty := build.Main.Version, ""
	if isRelease(v) {
		return v
	}
	for _, s := range build.Settings {
		switch {
		case s.Key == "vcs.revision" && len(s.Value) > 12:
			v = s.Value[:12]
		case s.Key == "vcs.modified" && s.Value == "true":
			dirty = "+"
		}
	}
	if v == "" || v == "(devel)" {
		return "devel"
	}
	return v + dirty
}
