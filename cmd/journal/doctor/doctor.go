// Package doctor has journal doctor, with one file of checks for each thing that it looks at.
package doctor

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/service"
)

// The levels of a finding.
const (
	findingFine    = "ok"
	findingNote    = "note"    // worth knowing, nothing is wrong
	findingProblem = "problem" // something is wrong or missing
)

// finding is one result of a check of journal doctor.
type finding struct {
	Check string `json:"check"`
	Level string `json:"level"` // ok, note, problem
	What  string `json:"what"`
	Try   string `json:"try,omitempty"` // what a person can do
}

// examination is one run of journal doctor: what checks look at, and what they found.
type examination struct {
	*cli.App
	ctx    context.Context
	status service.Status
	flags  cli.InstallFlags
	name   string // of the running check
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

// checkTeam checks how the journal does in its team.
func checkTeam(x *examination) {
	if s := x.Team().State(x.Dir); s.Level != "" {
		x.add(s.Level, s.Try, "%s", s.Text)
	}
}

// check is a check of one subject. It changes nothing.
type check struct {
	name string
	run  func(*examination)
}

// Checks returns the names of all checks, in order.
func Checks() (names []string) {
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var f cli.InstallFlags
	report, paths := "", false
	c := cli.NewCommand("doctor", "look at everything, say what is wrong and what to do",
		`Checks the journal's directory, its owner, log, archive and spool, the configuration and
the agent's settings, and says for everything that is wrong what it means and what to do.
Changes nothing and starts nothing. Only journal verify reads every stored byte.

--report writes the findings, the versions and the newest lines of the journal's log file into a new
file that you can attach to an issue. It holds no text of a session, no secrets, and no paths without
--paths.

Exit codes: 0 nothing is wrong, 1 a problem, 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if err := f.Check(c); err != nil {
				return err
			}
			f.Verbs = cli.OfferedVerbs(c.Root())
			x := &examination{App: a, ctx: c.Context(), status: a.Status(c.Context()), flags: f, found: []finding{}}
			for _, c := range checks {
				x.name = c.name
				c.run(x)
			}
			found := x.found
			if report != "" {
				return x.report(report, paths)
			}
			wrong := slices.ContainsFunc(found, func(f finding) bool { return f.Level == findingProblem })
			return cmp.Or(a.Print(found, func() { printFindings(a, found) }), cli.ExitIf(wrong, cli.ExitError))
		})
	f.Add(c)
	c.Flags().StringVar(&f.Agent, "agent", "", "the agent whose settings are checked")
	c.Flags().StringVar(&f.Bin, "bin", "", "path of the journal binary that the settings should name (default: this one)")
	c.Flags().StringVar(&f.ClientVersion, "client-version", "", "version of the agent (default: ask it)")
	c.Flags().StringVar(&report, "report", "", "write a report into a new file, for an issue")
	c.Flags().BoolVar(&paths, "paths", false, "keep paths and names of projects in the report")
	return a.JSONFlag(c)
})

func printFindings(a *cli.App, found []finding) {
	mark := map[string]string{findingFine: "ok     ", findingNote: "note   ", findingProblem: "PROBLEM"}
	for _, f := range found {
		a.PrintBeside(fmt.Sprintf("%s  %-13s ", mark[f.Level], f.Check), f.What)
		if f.Try != "" {
			a.PrintBeside(fmt.Sprintf("         %-13s try: ", ""), f.Try)
		}
	}
}
