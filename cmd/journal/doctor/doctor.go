// Package doctor has the verb doctor. Each file has the checks of one subject.
package doctor

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/service"
	"journal/journal"
)

// The levels of a finding.
const (
	levelOK      = "ok"
	levelNote    = "note"    // worth knowing, nothing is wrong
	levelProblem = "problem" // something is wrong or missing
)

// finding is one result of a check of journal doctor.
type finding struct {
	Check string `json:"check"`
	Level string `json:"level"`         // levelOK, levelNote or levelProblem
	What  string `json:"what"`          // a description
	Try   string `json:"try,omitempty"` // what a person can do, usually a command
}

// examination is one run of journal doctor: the input of its checks, and their findings.
type examination struct {
	*cli.App
	ctx    context.Context
	status service.Status
	// log is that of the running owner; nil if none runs, because doctor starts none, or if it cannot be opened (logError).
	log      *journal.Log
	logError error
	flags    cli.InstallFlags
	name     string    // of the running check
	closed   bool      // this user must not use the directory, or cannot, so nothing else in it is checked
	found    []finding // in the order of the checks
}

// add adds a finding of the running check; format and args describe it.
func (x *examination) add(level, try, format string, args ...any) {
	x.found = append(x.found, finding{x.name, level, fmt.Sprintf(format, args...), x.Advice(try)})
}

// ok adds a finding that nothing is wrong.
func (x *examination) ok(format string, args ...any) { x.add(levelOK, "", format, args...) }

// note adds a finding that is worth knowing.
func (x *examination) note(try, format string, args ...any) { x.add(levelNote, try, format, args...) }

// problem adds a finding that something is wrong or missing.
func (x *examination) problem(try, format string, args ...any) {
	x.add(levelProblem, try, format, args...)
}

// checkTeam reports the state of this machine in its team, with the level and the text of the team's own code.
func checkTeam(x *examination) {
	if s := x.Team().State(x.Dir); s.Level != "" {
		x.add(s.Level, s.Try, "%s", s.Text)
	}
}

// check is a check of one subject. It leaves everything as it was.
type check struct {
	name string
	run  func(*examination)
}

// Checks returns the names of all checks in their order.
func Checks() (names []string) {
	for _, c := range checks {
		names = append(names, c.name)
	}
	return names
}

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var f cli.InstallFlags
	report, paths := "", false
	c := cli.NewCommand("doctor", "what is wrong, and what to do about it",
		`Checks the journal's directory, its owner, log, archive and spool, the configuration and
the agent's settings. For each problem it says what to do. It changes and starts nothing. Only
journal verify reads every stored byte.

--report writes the findings, the versions and the newest lines of journal.log into a new file for an
issue. The file has no text of a session and no secrets, and only with --paths has it paths.

Exit codes: 0 nothing is wrong, or the report is written; 1 a problem; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if err := f.Check(c); err != nil {
				return err
			}
			f.Verbs = cli.AgentVerbs(c.Root())
			x := &examination{App: a, ctx: c.Context(), status: a.Status(c.Context()), flags: f}
			if x.status.Owner != nil {
				var end func()
				x.log, end, x.logError = a.OwnersLog(c.Context(), nil)
				defer end()
			}
			for _, check := range checks {
				if x.closed && !slices.Contains(outside, check.name) {
					continue
				}
				x.name = check.name
				check.run(x)
			}
			if report != "" {
				return x.report(report, paths)
			}
			wrong := slices.ContainsFunc(x.found, func(f finding) bool { return f.Level == levelProblem })
			return a.PrintExit(x.found, func() { printFindings(a, x.found) }, wrong, cli.ExitError)
		})
	f.Add(c)
	c.Flags().StringVar(&f.Agent, "agent", "", "the agent whose settings are checked")
	c.Flags().StringVar(&f.Bin, "bin", "", "path of the journal binary that the settings should name (default: this one)")
	c.Flags().StringVar(&f.ClientVersion, "client-version", "", "version of the agent (default: ask it)")
	c.Flags().StringVar(&report, "report", "", "write a report for an issue into this new file")
	c.Flags().BoolVar(&paths, "paths", false, "keep paths and names of projects in the report")
	return a.JSONFlag(c)
})

// printFindings prints findings for people.
func printFindings(a *cli.App, found []finding) {
	mark := map[string]string{levelOK: "ok     ", levelNote: "note   ", levelProblem: "PROBLEM"}
	for _, f := range found {
		a.PrintBeside(fmt.Sprintf("%s  %-13s ", mark[f.Level], f.Check), f.What)
		if f.Try != "" {
			a.PrintBeside(fmt.Sprintf("         %-13s try: ", ""), f.Try)
		}
	}
}
