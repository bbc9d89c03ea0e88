package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

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
	*app
	ctx    context.Context
	status service.Status
	flags  installFlags
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
	x.found = append(x.found, finding{x.name, level, fmt.Sprintf(format, args...), x.advice(try)})
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

var _ = verb(func(a *app) *cobra.Command {
	var f installFlags
	c := &cobra.Command{
		Use:     "doctor",
		GroupID: caring,
		Short:   "look at everything, say what is wrong and what to do",
		Long: `Looks at the journal's directory, its owner, log, archive and spool, at the configuration and
the agent's settings, and says of everything that is not right what it means and what to do.
Leaves everything as it is and starts nothing. journal verify reads every stored byte; this does not.

Exit codes: 0 nothing is wrong, 1 a problem, 2 usage.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := f.check(c); err != nil {
				return err
			}
			f.verbs = offeredVerbs(c.Root())
			found := examined(c.Context(), a, f)
			if err := a.print(found, func() { printFindings(a, found) }); err != nil {
				return err
			}
			for _, x := range found {
				if x.Level == findingProblem {
					return exitWith(exitError)
				}
			}
			return nil
		},
	}
	c.Flags().StringVar(&f.agent, "agent", "", "the agent whose settings are looked at")
	c.Flags().StringVar(&f.scope, "scope", "user", "user, or project: the settings of the project here")
	c.Flags().StringVar(&f.bin, "bin", "", "path of the journal binary as it should stand in the settings (default: this one)")
	c.Flags().StringVar(&f.clientVersion, "client-version", "", "version of the agent (default: ask it)")
	a.jsonFlag(c)
	return c
})

// examined runs every check.
func examined(ctx context.Context, a *app, f installFlags) []finding {
	x := &examination{app: a, ctx: ctx, status: service.Look(ctx, a.dir), flags: f, found: []finding{}}
	for _, c := range checks {
		x.name = c.name
		c.run(x)
	}
	return x.found
}

func printFindings(a *app, found []finding) {
	mark := map[string]string{findingFine: "ok     ", findingNote: "note   ", findingProblem: "PROBLEM"}
	for _, f := range found {
		a.printBeside(fmt.Sprintf("%s  %-13s ", mark[f.Level], f.Check), f.What)
		if f.Try != "" {
			a.printBeside(fmt.Sprintf("         %-13s try: ", ""), f.Try)
		}
	}
}
