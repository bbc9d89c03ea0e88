package work

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/projections/compilation"
)

// compileNextDoc is where a run stands.
type compileNextDoc struct {
	Run     int                  `json:"run"`
	Next    compilation.Step     `json:"next"`
	Steps   []compilation.Step   `json:"steps"` // all that is left, Next first
	Targets []compilation.Target `json:"targets"`
}

func compileNext(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var tasks bool
	c := &cobra.Command{
		Use: "next", Short: "where to go on, by the log alone",
		Long: `Shows how far each target is, what is left to do, and the command that comes next: after a compaction
or a crash too, because all of it stands in the log.

With --tasks it prints what can be compiled now as tasks, a JSON object per line, for a runner:
  journal compile next --tasks | journal work run - --command 'AGENT {prompt}'

Exit codes: 0, also when nothing is left; 1 failure.`,
		RunE: func(c *cobra.Command, _ []string) error {
			now, err := compileState(a, c, t)
			if err != nil {
				return err
			}
			if tasks {
				enc := a.JSONLines()
				for _, task := range now.Tasks(a.Command()) {
					if err := enc.Encode(task); err != nil {
						return err
					}
				}
				return nil
			}
			doc := compileNextDoc{Run: now.Run, Steps: now.Next(), Targets: now.Targets}
			for i := range doc.Steps {
				doc.Steps[i].Command = a.Spelled() + " " + doc.Steps[i].Command
			}
			if doc.Next = doc.Steps[0]; doc.Targets == nil {
				doc.Targets = []compilation.Target{}
			}
			return a.Print(doc, func() { printNext(a, doc) })
		},
	}
	t.Add(c)
	c.Flags().BoolVar(&tasks, "tasks", false, "what can be compiled now, as tasks for a runner")
	a.JSONFlag(c)
	return c
}

func printNext(a *cli.App, doc compileNextDoc) {
	cli.PrintEach(a, doc.Targets, func(t compilation.Target) string { return cli.OneLine(t.String()) })
	for i, s := range doc.Steps {
		mark := "     "
		if i == 0 {
			mark = "next:"
		}
		fmt.Fprintf(a.Out, "%s %s\n      %s\n", mark, cli.OneLine(s.What), cli.OneLine(s.Command))
	}
}

// compileReportDoc is what a run has made, and of which interfaces are broken.
type compileReportDoc struct {
	compilation.Report
	Affected []compilation.Step `json:"affected"` // modules to be compiled again
}

func compileReport(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	c := &cobra.Command{
		Use: "report", Short: "what the run has made, in numbers",
		Long: `Counts what the run has made: CLAUDE.md files, created and updated, generated and skipped files, each counted once, and the
tests of each target's newest result.`,
		RunE: func(c *cobra.Command, _ []string) error {
			now, err := compileState(a, c, t)
			if err != nil {
				return err
			}
			if now.Run == 0 {
				return cli.WithHint(fmt.Errorf("nothing was compiled in this project"), "journal compile plan")
			}
			doc := compileReportDoc{now.Report(), []compilation.Step{}}
			for _, s := range now.Next() {
				if s.Status == "affected" {
					doc.Affected = append(doc.Affected, s)
				}
			}
			return a.Print(doc, func() { printReport(a, now, doc) })
		},
	}
	t.Add(c)
	a.JSONFlag(c)
	return c
}

func printReport(a *cli.App, now compilation.State, doc compileReportDoc) {
	r := doc.Report
	fmt.Fprintf(a.Out, "CLAUDE.md: %d, compiled: %d (%d created, %d updated)\ngenerated files: %d\nskipped files: %d\noverwritten files: %d\n",
		r.Targets, r.Compiled, r.Created, r.Updated, r.Generated, r.Skipped, r.Overwritten)
	fmt.Fprintf(a.Out, "tests: %d passed, %d failed\n", r.Tests.Passed, r.Tests.Failed)
	if r.Outcome != "" {
		fmt.Fprintln(a.Out, "outcome: "+r.Outcome)
	}
	for _, t := range now.Targets {
		for _, i := range t.Issues {
			if t.Status == compilation.Warning {
				fmt.Fprintf(a.Out, "warning: %s: %s\n", cli.OneLine(t.Path), cli.OneLine(strings.TrimSpace(i.String()+" "+i.Answer)))
			}
		}
	}
	for _, s := range doc.Affected {
		fmt.Fprintln(a.Out, "advice: "+cli.OneLine(s.What))
	}
	if now.Open() {
		fmt.Fprintln(a.Out, "not done yet: journal compile next")
	}
}
