// Package doctor has journal doctor: a file of checks for each thing that it looks at.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/agent"
	"journal/cmd/journal/cli"
	"journal/embedded/service"
)

// The weights of a finding.
const (
	findingFine    = "ok"
	findingNote    = "note"    // worth knowing, nothing is wrong
	findingProblem = "problem" // something is wrong or missing
)

// finding is what a check of journal doctor says.
type finding struct {
	Check string `json:"check"`
	Level string `json:"level"` // ok, note, problem
	What  string `json:"what"`
	Try   string `json:"try,omitempty"` // what a person can do
}

// examination is what checks look at.
type examination struct {
	*cli.App
	ctx    context.Context
	status service.Status
	flags  agent.InstallFlags
	name   string // of the check that runs
	found  []finding
}

func (x *examination) fine(format string, args ...any) { x.add(findingFine, "", format, args...) }
func (x *examination) remark(try, format string, args ...any) {
	x.add(findingNote, try, format, args...)
}
func (x *examination) problem(try, format string, args ...any) {
	x.add(findingProblem, try, format, args...)
}

func (x *examination) add(level, try, format string, args ...any) {
	x.found = append(x.found, finding{x.name, level, fmt.Sprintf(format, args...), x.Advice(try)})
}

// check is one thing that journal doctor looks at. It changes nothing.
type check struct {
	order int
	name  string
	run   func(*examination)
}

// checks are sorted by their order: what has to be mended first comes first. Each
// file of checks adds its own.
var checks []check

// examine registers a check. It returns a value so that it can run as a package
// variable.
func examine(order int, name string, run func(*examination)) struct{} {
	checks = append(checks, check{order, name, run})
	slices.SortStableFunc(checks, func(a, b check) int { return cmp.Compare(a.order, b.order) })
	return struct{}{}
}

// Checks names all of them, in their order.
func Checks() (names []string) {
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var f agent.InstallFlags
	report, paths := "", false
	c := &cobra.Command{
		Use:   "doctor",
		Short: "look at everything, say what is wrong and what to do",
		Long: `Looks at the journal's directory, its owner, log, archive and spool, at the configuration and
the agent's settings, and says of everything that is not right what it means and what to do.
Leaves everything as it is and starts nothing. journal verify reads every stored byte; this does not.

--report writes the findings, the versions and the newest lines of the journal's log file into a new
file, to be attached to an issue. It has no text of a session, no secrets, and no paths without --paths.

Exit codes: 0 nothing is wrong, 1 a problem, 2 usage.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.Check(c); err != nil {
				return err
			}
			f.Verbs = cli.OfferedVerbs(c.Root())
			x := examined(c.Context(), a, f)
			found := x.found
			if report != "" {
				return x.report(report, paths)
			}
			if err := a.Print(found, func() { printFindings(a, found) }); err != nil {
				return err
			}
			for _, x := range found {
				if x.Level == findingProblem {
					return cli.ExitWith(cli.ExitError)
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&f.Agent, "agent", "", "the agent whose settings are looked at")
	c.Flags().StringVar(&f.Scope, "scope", "user", "user, or project: the settings of the project here")
	c.Flags().StringVar(&f.Bin, "bin", "", "path of the journal binary as it should stand in the settings (default: this one)")
	c.Flags().StringVar(&f.ClientVersion, "client-version", "", "version of the agent (default: ask it)")
	c.Flags().StringVar(&report, "report", "", "write it all into a new file, to be attached to an issue")
	c.Flags().BoolVar(&paths, "paths", false, "leave paths and names of projects in the report")
	a.JSONFlag(c)
	return c
})

// examined runs every check.
func examined(ctx context.Context, a *cli.App, f agent.InstallFlags) *examination {
	x := &examination{App: a, ctx: ctx, status: service.Look(ctx, a.Dir), flags: f, found: []finding{}}
	for _, c := range checks {
		x.name = c.name
		c.run(x)
	}
	return x
}

func printFindings(a *cli.App, found []finding) {
	mark := map[string]string{findingFine: "ok     ", findingNote: "note   ", findingProblem: "PROBLEM"}
	for _, f := range found {
		a.PrintBeside(fmt.Sprintf("%s  %-13s ", mark[f.Level], f.Check), f.What)
		if f.Try != "" {
			a.PrintBeside(fmt.Sprintf("         %-13s try: ", ""), f.Try)
		}
	}
}
