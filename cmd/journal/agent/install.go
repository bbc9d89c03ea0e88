package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/store/ownership"
	"journal/journal/agents/install"
	"journal/journal/agents/transcript"
	"journal/journal/hookrun"
)

var _ = cli.Verb(cli.Installing, func(a *cli.App) *cobra.Command {
	var f installFlags
	c := cli.NewCommand("install", "put the hooks and the statusline into an agent's settings",
		`Adds journal's hooks and statusline to the agent's settings, for the events that the installed
version of the agent knows, and writes a skill that describes how to record decisions and to look things
up. All other settings stay. Running it again changes nothing; journal uninstall removes exactly what it
added.

By default the agent asks you before it runs journal. With --allow it may record and look things up in
its own project without asking; on a terminal install asks you about that. --import also imports past
sessions.

Exit codes: 0 installed, or nothing to change; 1 failure; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if err := f.Check(c); err != nil {
				return err
			}
			f.Verbs = cli.AgentVerbs(c.Root())
			agents, err := chooseAgents(c.Context(), a, f)
			if err != nil {
				return err
			}
			// --allow answers the question about the rules. A person who was asked about several agents is not asked about the rules
			// of each as well.
			f.noRuleQuestion = c.Flags().Changed("allow") || len(agents) > 1 && f.Agent == ""
			docs, err := installAll(c.Context(), a, f, agents)
			if len(docs) == 0 {
				return err
			}
			var doc any = docs
			if len(agents) == 1 {
				doc = docs[0]
			}
			return errors.Join(err, a.Print(doc, func() {
				for _, doc := range docs {
					printInstalled(a, doc, f)
				}
				printStart(a, docs, f)
			}))
		})
	f.add(a, c)
	c.Flags().StringVar(&f.Bin, "bin", "", "path of journal for the settings, which name journal-hook beside it if there is one (default: this one)")
	c.Flags().StringVar(&f.ClientVersion, "client-version", "", "version of the agent (default: ask it)")
	c.Flags().BoolVar(&f.All, "all", false, "every harmless event that the agent knows")
	c.Flags().BoolVar(&f.yes, "yes", false, "ask nothing; do what the flags say")
	c.Flags().BoolVar(&f.Allow, "allow", false, "let the agent record and look things up in its own project without asking the person")
	c.Flags().BoolVar(&f.imports, "import", false, "import past sessions from the agent's transcripts")
	c.Flags().BoolVar(&f.NoSkill, "no-skill", false, "write no skill")
	c.Flags().BoolVar(&f.NoStatusLine, "no-statusline", false, "leave the statusline alone")
	return c
})

var _ = cli.Verb(cli.Installing, func(a *cli.App) *cobra.Command {
	var f installFlags
	c := cli.NewCommand("uninstall", "remove the hooks and the statusline from an agent's settings",
		`Removes what journal install added to the agent's settings, rules included, and restores
the previous statusline. A file that nobody has changed since becomes what it was, byte for
byte; in any other file everything else stays. The log is kept: it prints how to remove that, too.

Exit codes: 0 removed, or nothing there; 1 failure; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if err := f.Check(c); err != nil {
				return err
			}
			f.Verbs = cli.AgentVerbs(c.Root())
			agents := []string{f.Agent}
			if f.Agent == "" || f.Agent == cli.EveryAgent {
				agents = install.Agents()
			}
			doc := installDoc{DryRun: f.dryRun, Files: []installedFile{}}
			var failed error
			for _, agent := range agents {
				f.Agent = agent
				plans, err := install.Removal(f.For(a))
				if err != nil {
					failed = errors.Join(failed, err)
					continue
				}
				hasFile := slices.ContainsFunc(plans, func(p install.Plan) bool { return p.Before != nil })
				if len(agents) == 1 || hasFile { // among several agents, one without files gets no notes
					failed = errors.Join(failed, doc.carryOut(plans, f.dryRun))
				}
			}
			if len(agents) > 1 { // only changes are printed
				doc.Files = slices.DeleteFunc(doc.Files, func(file installedFile) bool { return file.Change == "none" })
			}
			if failed != nil && len(doc.Files) == 0 {
				return failed
			}
			return errors.Join(failed, a.Print(doc, func() { printUninstalled(a, doc, f) }))
		})
	f.add(a, c)
	c.Flags().StringVar(&f.Bin, "bin", "", "path of journal in the settings, if its name is not journal")
	return c
})

// installFlags are the flags of journal install; uninstall has some of them.
type installFlags struct {
	cli.InstallFlags
	dryRun, diff, imports, yes bool
	noRuleQuestion             bool // the person is not asked whether the agent may run verbs; no flag
}

// add adds the flags that install and uninstall have.
func (f *installFlags) add(a *cli.App, c *cobra.Command) {
	f.Add(c)
	c.Flags().StringVar(&f.Agent, "agent", "", "the agent: "+strings.Join(install.Agents(), ", ")+"; or "+cli.EveryAgent+": all that are on this machine")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only show what would be changed")
	c.Flags().BoolVar(&f.diff, "diff", false, "show the change line by line")
	a.JSONFlag(c)
}

// chooseAgents returns the agents to install into: the agent that --agent names, else all of this machine. If there are several
// and --agent is missing, it asks the person. The error is that of a machine without agents, or of several without a yes.
func chooseAgents(ctx context.Context, a *cli.App, f installFlags) ([]string, error) {
	if f.Agent != "" && f.Agent != cli.EveryAgent {
		return []string{f.Agent}, nil
	}
	found := install.Found(f.For(a))
	names := strings.Join(found, ", ")
	switch {
	case len(found) == 0:
		return nil, cli.WithHint(errors.New("no agent was found on this machine"), "journal install --agent NAME, one of: "+strings.Join(install.Agents(), ", "))
	case len(found) == 1, f.Agent == cli.EveryAgent:
		return found, nil
	case isInteractive(a, f):
		if agreed, err := a.Yes(ctx, "Install into "+names+"?"); agreed || err != nil {
			return found, err
		}
	}
	return nil, cli.WithHint(fmt.Errorf("several agents are on this machine: %s", names), "journal install --agent NAME, or --agent "+cli.EveryAgent)
}

// isInteractive reports whether a person can be asked: stdin and stderr are a terminal, and no flag excludes questions.
func isInteractive(a *cli.App, f installFlags) bool {
	return cli.IsTerminal(a.In) && cli.IsTerminal(a.Err) && !a.AsJSON && !f.dryRun && !f.yes
}

// installAll installs into each agent. After an error it goes on with the next one, but not after an interruption. Then it imports
// the past sessions of all, if --import is set or the person agrees. docs has a document for each agent that it installed into. The
// last one has the import.
func installAll(ctx context.Context, a *cli.App, f installFlags, agents []string) (docs []installDoc, failed error) {
	for _, agent := range agents {
		if ctx.Err() != nil {
			break
		}
		f.Agent = agent
		doc, err := installInto(ctx, a, f)
		if err != nil {
			failed = errors.Join(failed, err)
			continue
		}
		docs = append(docs, doc)
	}
	if f.dryRun || len(docs) == 0 || ctx.Err() != nil {
		return docs, errors.Join(failed, ctx.Err())
	}
	last := &docs[len(docs)-1]
	if last.Past = pastSessions(ctx, a, agents); last.Past == nil {
		return docs, failed
	}
	if !f.imports && isInteractive(a, f) {
		agreed, err := a.Yes(ctx, fmt.Sprintf("Import %s?", last.Past))
		if err != nil {
			return docs, errors.Join(failed, err)
		}
		f.imports = agreed
	}
	if !f.imports {
		return docs, failed
	}
	var err error
	last.Imported, err = importAll(ctx, a, last.Past.Folders, transcript.Agents(), importOptions{})
	return docs, errors.Join(failed, err)
}

// installInto plans the installation into one agent, asks the person about rules, and carries out the plan unless it is a dry run.
func installInto(ctx context.Context, a *cli.App, f installFlags) (installDoc, error) {
	options := f.For(a)
	unsafe := ownership.Inspect(a.Dir)
	if unsafe != nil && !errors.Is(unsafe, fs.ErrNotExist) {
		options.Keep = "" // others could read copies of the settings there
	}
	plans, err := install.Installation(ctx, options)
	if err != nil {
		return installDoc{}, err
	}
	if rules := plans[0].Asked; len(rules) > 0 && !f.noRuleQuestion && isInteractive(a, f) {
		question := "journal writes its hooks into these files of " + options.Agent + ":\n"
		for _, p := range plans {
			question += "  " + p.Path + "\n"
		}
		question += "May the agent run these commands without asking you each time? They record, and read only its own project.\n  " +
			strings.Join(rules, "\n  ") + "\n"
		if options.Allow, err = a.Yes(ctx, question); err != nil {
			return installDoc{}, err
		}
		if options.Allow {
			options.ClientVersion = cmp.Or(options.ClientVersion, plans[0].Version) // the agent's program is asked once
			if plans, err = install.Installation(ctx, options); err != nil {
				return installDoc{}, err
			}
		}
	}
	p := plans[0]
	doc := installDoc{
		Agent: p.Agent, Version: p.Version, Program: p.Program, Command: p.Command, Events: p.Events, Rules: p.Rules, Asks: p.Asked, DryRun: f.dryRun,
	}
	if options.Allow && len(p.Rules) == 0 {
		doc.Notes = append(doc.Notes, options.Agent+" has no permission rules for --allow: it asks as you configured it")
	}
	if why := temporaryPlace(options.Bin); why != "" {
		doc.Notes = append(doc.Notes, fmt.Sprintf("%s is in %s: hooks will stop working when that directory is cleaned; run `make install`", options.Bin, why))
	}
	if name, err := install.Plugin(options); err == nil && name != "" { // settings that cannot be read were refused above
		doc.Notes = append(doc.Notes, fmt.Sprintf("the plugin %s calls journal, too. One of the two is enough; what both report is recorded once", name))
	}
	if err := doc.carryOut(plans, f.dryRun); err != nil || f.dryRun {
		return doc, err
	}
	if err := recordProgram(a, p.Command); err != nil {
		a.Note(fmt.Sprintf("journal-hook must stay beside journal: %v", err))
	}
	return doc, nil
}

// recordProgram stores the path of this program, for a journal-hook in another directory. It also stores the command by which the
// agent's rules name this program, so that texts for the agent use the same command.
func recordProgram(a *cli.App, command string) error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	if err := ownership.Prepare(a.Dir); err != nil {
		return err
	}
	return errors.Join(hookrun.RecordProgram(a.Dir, exe), cli.RecordCommand(a.Dir, command))
}
