package work

import (
	"errors"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal/worker/compile"
)

// compilePlanDoc is a plan and where it stands in the log; not at all when there was
// nothing to record.
type compilePlanDoc struct {
	compile.Plan
	Written []string `json:"written"` // IMPLEMENTS.md that were made
	Seqs    []uint64 `json:"seqs"`
	Spooled bool     `json:"spooled"`
}

func compilePlan(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var o compile.Options
	var conflict string
	var write, dry bool
	c := &cobra.Command{
		Use:   "plan",
		Short: "find what is to be compiled, and record it",
		Long: `Finds the directories that are to be compiled from their CLAUDE.md, by git: those whose CLAUDE.md is
not committed, or was committed after the source, and those without source. A file belongs to the
nearest directory above it with a CLAUDE.md. What git ignores, submodules and other repositories
are left out. Without git, and with --all, every directory is a target.

A plan within an open run goes on with it: what is under way stays as it is, and what was compiled
from the same CLAUDE.md is not compiled again. Nothing is written but, with --write, the
IMPLEMENTS.md that are missing.

Exit codes: 0, also when there is nothing to do; 1 failure; 2 usage.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if conflict != "skip" && conflict != "overwrite" {
				return cli.Usage(c, errors.New(`--conflict is "skip" or "overwrite"`))
			}
			if o.Below = path.Clean(strings.TrimSuffix(filepath.ToSlash(o.Below), compile.Spec)); !filepath.IsLocal(o.Below) {
				return cli.Usage(c, errors.New("--path is a directory below the project's root"))
			}
			root := a.Root(t.Project)
			plan, err := compile.Make(c.Context(), root, o)
			if err != nil {
				return err
			}
			doc := compilePlanDoc{Plan: plan, Seqs: []uint64{}, Written: []string{}}
			if write && !dry {
				made, err := doc.WriteImplements(root)
				if err != nil {
					return err
				}
				doc.Written = append(doc.Written, made...)
			}
			if len(plan.Targets) > 0 && !dry {
				receipt, err := a.Recorded(c, t, doc.Planned(conflict, o.All))
				if err != nil {
					return err
				}
				doc.Seqs, doc.Spooled = append(doc.Seqs, receipt.Seqs...), receipt.Spooled
			}
			return a.Print(doc, func() { printPlan(a, doc) })
		},
	}
	t.AddNew(c)
	c.Flags().BoolVar(&o.All, "all", false, "every directory with a CLAUDE.md, changed or not")
	c.Flags().StringVar(&o.Below, "path", "", "only this directory and those below it")
	c.Flags().StringVar(&conflict, "conflict", "skip", "files that exist: skip or overwrite")
	c.Flags().BoolVar(&write, "write", false, "make the IMPLEMENTS.md that are missing")
	c.Flags().BoolVar(&dry, "dry-run", false, "record and write nothing")
	a.JSONFlag(c)
	return c
}

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
	fmt.Fprintf(a.Out, "%d of %d directories with a CLAUDE.md\n", len(doc.Targets), doc.Summary.Total)
	a.Table(func(row func(...any)) {
		for _, t := range doc.Targets {
			language, implements := t.Language, ""
			if language == "" {
				language = "language?"
			}
			if t.Bare {
				implements = "no IMPLEMENTS.md"
			}
			row(" "+cli.OneLine(t.Path), t.Mode, language, strings.Join(t.Reasons, ", "), implements)
		}
	})
	for _, made := range doc.Written {
		fmt.Fprintln(a.Out, "made "+cli.OneLine(made))
	}
	if len(doc.Bare) > 0 {
		fmt.Fprintf(a.Out, "%d without IMPLEMENTS.md: --write makes them\n", len(doc.Bare))
	}
	if len(doc.Seqs) > 0 || doc.Spooled {
		fmt.Fprintln(a.Out, "next: journal compile next")
	}
}
