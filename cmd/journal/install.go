package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"journal/embedded/ownership"
	"journal/journal/hookrun"
	"journal/journal/install"
)

var _ = verb(func(a *app) *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use:     "install",
		GroupID: installing,
		Short:   "put the hooks and the statusline into an agent's settings",
		Long: `Merges the hooks of the journal and its statusline bridge into the agent's settings,
beside whatever is there, and shows the change. It names only events that the installed
client version knows: one unknown name switches off all hooks of a file in clients up to
2.1.100. A skill beside the settings tells the agent how to record decisions and to look
things up. Running it again changes nothing; journal uninstall takes exactly it out again.

Exit codes: 0 installed, or nothing to change; 1 failure; 2 usage.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			plans, err := install.Installation(c.Context(), f.options(a))
			if err := a.carryOut(plans, err, f.dryRun); err != nil || f.dryRun {
				return err
			}
			a.recordProgram()
			return nil
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.bin, "bin", "", "path of journal as it stands in the settings; journal-hook beside it stands there instead (default: this one)")
	c.Flags().StringVar(&f.clientVersion, "client-version", "", "version of the agent (default: ask it)")
	c.Flags().BoolVar(&f.all, "all", false, "every event that the client knows and that is harmless")
	c.Flags().BoolVar(&f.noSkill, "no-skill", false, "write no skill")
	c.Flags().BoolVar(&f.noStatusline, "no-statusline", false, "leave the statusline alone")
	return c
})

var _ = verb(func(a *app) *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use:     "uninstall",
		GroupID: installing,
		Short:   "take the hooks and the statusline out of an agent's settings",
		Long: `Takes out what journal install put into the agent's settings, and restores the statusline
that was there before. Everything else stays byte for byte. The journal itself is kept.

Exit codes: 0 taken out, or nothing there; 1 failure; 2 usage.`,
		Args: args(cobra.NoArgs),
		RunE: func(*cobra.Command, []string) error {
			plans, err := install.Removal(f.options(a))
			return a.carryOut(plans, err, f.dryRun)
		},
	}
	f.add(c)
	c.Flags().StringVar(&f.bin, "bin", "", "path of the journal binary in the settings, when its name is not journal")
	return c
})

// recordProgram notes where this program is, for a journal-hook that finds none beside
// itself.
func (a *app) recordProgram() {
	exe, err := os.Executable()
	if err == nil {
		err = ownership.Prepare(a.dir)
	}
	if err == nil {
		err = hookrun.RecordProgram(a.dir, exe)
	}
	if err != nil {
		a.note(fmt.Sprintf("journal-hook has to stay beside journal: %v", err))
	}
}

type installFlags struct {
	agent, scope, bin, clientVersion string
	all, noStatusline, noSkill       bool
	dryRun                           bool
}

func (f *installFlags) add(c *cobra.Command) {
	c.Flags().StringVar(&f.agent, "agent", "", "the agent: "+strings.Join(install.Agents(), ", "))
	c.Flags().StringVar(&f.scope, "scope", string(install.User), "user, or project: the settings of the project here")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "show the change and make none")
}

func (f *installFlags) options(a *app) install.Options {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "" // planning says what is missing
	}
	return install.Options{
		Agent: f.agent, Scope: install.Scope(f.scope), Dir: a.root(""), Home: home, Bin: f.bin, All: f.all,
		ClientVersion: f.clientVersion, NoSkill: f.noSkill, NoStatusLine: f.noStatusline, Getenv: a.getenv,
	}
}

// carryOut shows changes to files and makes them, one after the other.
func (a *app) carryOut(plans []install.Plan, err error, dryRun bool) error {
	for i := 0; err == nil && i < len(plans); i++ {
		err = a.apply(plans[i], dryRun)
	}
	var known interface {
		error
		Hint() string
	}
	if errors.As(err, &known) && known.Hint() != "" {
		return withHint(err, known.Hint())
	}
	return err
}

func (a *app) apply(plan install.Plan, dryRun bool) error {
	for _, n := range plan.Notes {
		fmt.Fprintf(a.err, "note: %s\n", n)
	}
	if !plan.Changed {
		fmt.Fprintf(a.out, "%s: nothing to change\n", plan.Path)
		return nil
	}
	fmt.Fprint(a.out, plan.Diff())
	if dryRun {
		return nil
	}
	if err := plan.Apply(); err != nil {
		return err
	}
	fmt.Fprintf(a.out, "%s: changed\n", plan.Path)
	return nil
}
