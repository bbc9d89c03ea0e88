package work

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/events/text"
	"journal/journal/worker/compile"
	"journal/projections/compilation"
)

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("compile", "the compile workflow: the state of each directory, and what comes next",
		`Records the progress of a run of the compile workflow: the directories that are compiled from their
CLAUDE.md, the phase of each, its issues and the answers. Compiling subagents and their results in
.claude/tmp are recorded automatically; each step can also be recorded here.

  journal compile plan              # from git: what must be compiled, and why
  journal compile start src/auth --phase green --try 2
  journal compile result --from .claude/tmp/4f1c-compile-src-auth.json
  journal compile validated src/auth --issue missing_export:login.ts:login
  journal compile next              # where to go on, also after a compaction or a crash

A target is named by its path below the project's root; the root itself is . (a dot). Recording a
step twice has no further effect.

Exit codes: 0; 1 failure or refused; 2 usage.`, nil)
	c.AddCommand(
		compilePlan(a), compileStart(a), compileResult(a), compileValidated(a), compileDiff(a), compileAnswer(a),
		compileNext(a), compileReport(a), compileDiscard(a))
	return c
})

// compileRun is the run of the compile workflow that a verb is about. now is its state before the verb's step.
type compileRun struct {
	*cli.App
	flags cli.TargetFlags
	now   compilation.State
}

// compileVerb makes a verb that records a step of a run. event gets the run and the arguments, and returns the step's event.
func compileVerb[E events.Event](a *cli.App, use, short, long string, event func(ctx context.Context, r compileRun, args []string) (E, error)) *cobra.Command {
	var t cli.TargetFlags
	c := cli.NewCommand(use, short, long,
		func(c *cobra.Command, args []string) error {
			now, err := compileState(a, c, t)
			if err != nil && !cli.NothingYet(a, t, err) {
				return err
			}
			e, err := event(c.Context(), compileRun{App: a, flags: t, now: now}, args)
			if err != nil {
				return err
			}
			b, err := json.Marshal(e)
			if err != nil {
				return err
			}
			checked, err := events.FromJSON(events.TypeOf[E](), b) // the declaration of the event checks the values
			if err != nil {
				return cli.Usage(err)
			}
			return a.Record(c, t, checked)
		})
	t.AddNew(c)
	return a.JSONFlag(c)
}

// compileState folds the run of the project. It returns the zero state if there is no journal yet.
func compileState(a *cli.App, c *cobra.Command, t cli.TargetFlags) (compilation.State, error) {
	s, err := cli.StateOf(a, c, t, compilation.Projection)
	if errors.Is(err, cli.ErrNoJournal) {
		err = nil
	}
	return s, err
}

// find returns the path of a target below the project's root. given is the path of the target's directory or CLAUDE.md, absolute or
// below the root. A target that the run does not have must have a CLAUDE.md, so that a typo does not begin a target.
func (r compileRun) find(given string) (string, error) {
	root := r.Root(r.flags.Project)
	p := filepath.ToSlash(given)
	if filepath.IsAbs(given) {
		rel, err := filepath.Rel(root, given)
		if err != nil {
			return "", fmt.Errorf("%s is not below %s", given, root)
		}
		p = filepath.ToSlash(rel)
	}
	p = path.Clean(p)
	if path.Base(p) == compile.Spec {
		p = path.Dir(p)
	}
	if _, known := r.now.Target(p); known {
		return p, nil
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(p), compile.Spec)); err != nil {
		return "", cli.WithHint(fmt.Errorf("%s is no target: the run does not have it, and there is no %s", p, path.Join(p, compile.Spec)), "journal compile next")
	}
	return p, nil
}

// maxCompileInput bounds the size of a file with a step, in bytes.
const maxCompileInput = 1 << 20

// compilePlanDoc is the JSON document of a plan.
type compilePlanDoc struct {
	compile.Plan
	Written []string `json:"written"` // IMPLEMENTS.md files that were written
	Seqs    []uint64 `json:"seqs"`    // of the plan's event; empty if nothing was recorded, or the event waits in the spool
	Spooled bool     `json:"spooled"`
}

// compilePlan makes the command `journal compile plan`.
func compilePlan(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var o compile.Options
	var conflict string
	var write, dry bool
	c := cli.NewCommand("plan", "find what must be compiled, and record it",
		`Finds by git the directories that must be compiled from their CLAUDE.md: those whose CLAUDE.md is
not committed, or was committed after the source, and those without source. A file belongs to the
nearest directory above it with a CLAUDE.md. Ignored files, submodules and other repositories are left
out. Without git, and with --all, every directory with a CLAUDE.md is a target.

A plan within an open run continues the run: targets under way stay as they are, and what was compiled
from the same CLAUDE.md is not compiled again. With --write it writes missing IMPLEMENTS.md files, and
no others.

Exit codes: 0, also when there is nothing to do; 1 failure; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if conflict != "skip" && conflict != "overwrite" {
				return cli.Usage(errors.New(`--conflict must be "skip" or "overwrite"`))
			}
			if o.Below = path.Clean(strings.TrimSuffix(filepath.ToSlash(o.Below), compile.Spec)); !filepath.IsLocal(o.Below) {
				return cli.Usage(errors.New("--path must be a directory below the project's root"))
			}
			root := a.Root(t.Project)
			plan, err := compile.Make(c.Context(), root, o)
			if err != nil {
				return err
			}
			doc := compilePlanDoc{Plan: plan, Seqs: []uint64{}, Written: []string{}}
			if write && !dry {
				paths, err := doc.WriteImplements(root)
				if err != nil {
					return err
				}
				doc.Written = append(doc.Written, paths...)
			}
			if len(plan.Targets) > 0 && !dry {
				receipt, err := a.Append(c, t, doc.Planned(conflict, o.All))
				if err != nil {
					return err
				}
				doc.Seqs, doc.Spooled = append(doc.Seqs, receipt.Seqs...), receipt.Spooled
			}
			return a.Print(doc, func() { printPlan(a, doc) })
		})
	t.AddNew(c)
	c.Flags().BoolVar(&o.All, "all", false, "every directory with a CLAUDE.md, changed or not")
	c.Flags().StringVar(&o.Below, "path", "", "only this directory and those below it")
	c.Flags().StringVar(&conflict, "conflict", "skip", "files that exist: skip or overwrite")
	c.Flags().BoolVar(&write, "write", false, "write missing IMPLEMENTS.md files")
	c.Flags().BoolVar(&dry, "dry-run", false, "record and write nothing")
	return cli.AllowAgents(a.JSONFlag(c), "all", "path", "conflict", "dry-run", "json")
}

// printPlan prints a plan for people.
func printPlan(a *cli.App, doc compilePlanDoc) {
	for _, note := range doc.Notes {
		a.Note(note)
	}
	if doc.Summary.Total == 0 {
		fmt.Fprintln(a.Out, "no directory has a CLAUDE.md")
		return
	}
	if len(doc.Targets) == 0 {
		fmt.Fprintf(a.Out, "all %d up to date; --all compiles them again\n", doc.Summary.Total)
		return
	}
	fmt.Fprintf(a.Out, "%d of %s with a CLAUDE.md\n", len(doc.Targets), text.Counted(doc.Summary.Total, "directory"))
	a.Table(func(row func(...any)) {
		for _, t := range doc.Targets {
			implements := ""
			if t.Bare {
				implements = "no IMPLEMENTS.md"
			}
			row(" "+cli.OneLine(t.Path), t.Mode, cmp.Or(t.Language, "language?"), strings.Join(t.Reasons, ", "), implements)
		}
	})
	for _, file := range doc.Written {
		fmt.Fprintln(a.Out, "made "+cli.OneLine(file))
	}
	if len(doc.MissingImplements) > 0 {
		fmt.Fprintf(a.Out, "%d without IMPLEMENTS.md: --write makes them\n", len(doc.MissingImplements))
	}
	if len(doc.Seqs) > 0 || doc.Spooled {
		fmt.Fprintln(a.Out, "next: journal compile next")
	}
}
