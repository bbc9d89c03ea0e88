package look

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/knowledge"
)

// auditFlags are the flags of journal audit.
type auditFlags struct {
	target                    cli.TargetFlags
	compaction                cli.Ordinal
	since                     cli.Moment
	html                      string
	lost, all, csv            bool
	judge, rules, dryRun, yes bool
}

// args returns the flags that select the same session and compaction, as words of a shell, each after a blank.
func (f auditFlags) args() string {
	if f.compaction == 0 {
		return f.target.Args()
	}
	return f.target.Args() + fmt.Sprintf(" --compaction %d", f.compaction)
}

var _ = cli.Verb(cli.Daily, func(a *cli.App) *cobra.Command {
	var f auditFlags
	c := cli.NewCommand("audit", "what compactions took, and what was restored",
		`Shows for every compaction of a session the items worth keeping that were known before it, and what
became of each, with the evidence: promoted to learnings, told by the summary, kept by the client,
restored by a recovery text that arrived, offered by a text that may not have arrived, in a file,
reviewed by a compound, unclear, or lost. The first audit of a session also reads the agent's transcript,
which shows which texts arrived.

  journal audit                  a headline, a table, and what is lost or unclear, most valuable first
  journal audit --lost           only what is lost; journal restore --lost restores it
  journal audit --html page.html one page with the session's timeline
  journal audit --all            which sessions lost most; losses by kind, client and week
  journal audit --judge          asks a model that you configured, and records its answers

Exit codes: 0; 1 failure; 2 usage; 3 the log is damaged.`,
		func(c *cobra.Command, _ []string) error {
			switch {
			case f.all && (f.lost || f.rules || f.html != "" || f.compaction > 0 || f.target.Session+f.target.Lane != ""):
				return cli.Usage(errors.New("--all covers many sessions: it takes only --project, --since, --json and --csv"))
			case !f.all && !f.since.IsZero():
				return cli.Usage(errors.New("--since goes with --all"))
			case (f.dryRun || f.yes) && !f.judge:
				return cli.Usage(errors.New("--dry-run and --yes go with --judge"))
			case f.judge && (f.all || f.rules || f.csv || f.html != "" || f.lost || a.AsJSON):
				return cli.Usage(errors.New("--judge excludes --all, --rules, --csv, --html, --lost and --json; they show its answers later"))
			case f.judge && a.Colleague != "":
				return cli.Usage(errors.New("--judge and --team exclude each other"))
			case f.csv && (a.AsJSON || f.html != "" || f.lost):
				return cli.Usage(errors.New("--csv lists everything: it excludes --json, --html and --lost"))
			case f.html != "" && (a.AsJSON || f.lost):
				return cli.Usage(errors.New("--html shows everything: it excludes --json and --lost"))
			}
			if f.judge {
				if err := judgeAudit(c.Context(), a, f); err != nil || f.dryRun {
					return err
				}
			}
			return a.ReadPastHoles(c.Context(), func(log *journal.Log) error {
				if f.all {
					return auditAll(c.Context(), a, log, f)
				}
				return showAudit(c.Context(), a, log, f)
			})
		})
	f.target.Add(c)
	c.Flags().Var(&f.compaction, "compaction", "only this compaction of the session, counted from 1")
	c.Flags().BoolVar(&f.lost, "lost", false, "only what is lost, most valuable first")
	c.Flags().BoolVar(&f.all, "all", false, "all sessions: which lost most; losses by kind, client and week")
	c.Flags().Var(&f.since, "since", "with --all: only compactions since: 2w, monday (journal help times)")
	c.Flags().BoolVar(&f.csv, "csv", false, "one row per item; with --all one per compaction")
	c.Flags().StringVar(&f.html, "html", "", "write one self-contained page to this file, - is stdout")
	c.Flags().BoolVar(&f.judge, "judge", false, "ask the model of your configuration (audit.judge) what the summaries kept")
	c.Flags().BoolVar(&f.rules, "rules", false, "leave out a judge's answers")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "with --judge: only print what would be sent")
	c.Flags().BoolVar(&f.yes, "yes", false, "with --judge: send it without asking for confirmation")
	return cli.TeamFlag(a, a.JSONFlag(c))
})

// showAudit prints the audit of one session in the form that the flags select.
func showAudit(ctx context.Context, a *cli.App, log *journal.Log, f auditFlags) error {
	target, report, err := auditOf(ctx, a, log, f)
	if err != nil {
		return err
	}
	if f.csv {
		return printItemsCSV(a, target, report)
	}
	shown := report // with --compaction, also the items that an earlier compaction has with the same status
	if f.compaction == 0 {
		shown = report.News()
	}
	if f.html != "" {
		return writePage(ctx, a, log, target, report, shown, f.html)
	}
	switch {
	case a.AsJSON && f.lost:
		return a.PrintJSON(append([]audit.Item{}, report.WithStatus(audit.Lost)...))
	case a.AsJSON:
		lost, err := cli.LossesOf(ctx, log)
		if err != nil {
			return err
		}
		return a.PrintJSON(struct {
			audit.Report
			Losses []projections.Loss `json:"losses"` // events that the log lost; nobody knows their content
		}{shown, lost})
	case f.lost:
		lost := report.WithStatus(audit.Lost)
		if len(lost) == 0 {
			a.Note("nothing worth keeping is lost")
		}
		printItems(a, lost)
		return nil
	}
	printAudit(a, cli.SessionLine(ctx, a, log, target), report, f)
	return nil
}

// auditOf audits the session of the flags, or one compaction of it. An audit reads only the log, so the owner first records in the
// log which recovery texts arrived. A colleague's log is audited as it is.
func auditOf(ctx context.Context, a *cli.App, log *journal.Log, f auditFlags) (projections.Target, audit.Report, error) {
	target, err := a.Target(ctx, log, f.target)
	if err != nil {
		return target, audit.Report{}, err
	}
	if a.Copy == nil {
		a.ConfirmReceipts(ctx, target, "the agent's transcript")
	}
	settings := a.OwnerConfig().Settings()
	defer debug.SetGCPercent(debug.SetGCPercent(400)) // an audit needs most of its memory until its end
	run := audit.Audit
	if f.rules {
		run = audit.ByRules
	}
	report, err := run(ctx, log, target, settings.Fold)
	if err != nil || f.compaction == 0 {
		return target, report, cli.Damaged(err)
	}
	if report = report.Only(int(f.compaction)); len(report.Compactions) == 0 {
		return target, report, cli.WithHint(fmt.Errorf("the session has no compaction %d", f.compaction), "journal audit"+f.target.Args())
	}
	return target, report, nil
}

// shownLost bounds the lost items, and the unclear ones, that are listed below the table.
const shownLost = 20

// printAudit prints an audit for people: a headline, the table of compactions, and the items that are lost or unclear.
func printAudit(a *cli.App, heading string, r audit.Report, f auditFlags) {
	fmt.Fprintln(a.Out, heading)
	for _, c := range r.Cleared {
		line := fmt.Sprintf("%s  the context fell by %s tokens without a compaction (#%d)", c.At.Time().Local().Format("01-02 15:04"), text.Short(c.Freed), c.Seq)
		if c.Results > 0 {
			line += ": " + text.Counted(c.Results, "result") + " of tools went"
		}
		fmt.Fprintln(a.Out, a.Cut(line))
	}
	if len(r.Compactions) == 0 && len(r.Cleared) == 0 {
		fmt.Fprintln(a.Out, "its context was never compacted: nothing was lost")
	}
	if len(r.Compactions) == 0 {
		return
	}
	fmt.Fprintln(a.Out)
	a.PrintBeside("", r.Totals.Headline())
	fmt.Fprintln(a.Out)
	printCompactions(a, r.Compactions)
	for _, status := range []audit.Status{audit.Lost, audit.Unclear} {
		items := r.WithStatus(status)
		if len(items) == 0 {
			continue
		}
		about := "lost, most valuable first (journal restore" + f.target.Args() + " ITEM... restores):"
		if status == audit.Unclear {
			about = "unclear, most valuable first:"
		}
		fmt.Fprintln(a.Out)
		a.PrintBeside("", about)
		shown := items[:min(len(items), shownLost)]
		printItems(a, shown)
		if more := len(items) - len(shown); more > 0 {
			fmt.Fprintf(a.Out, "… %d more: journal audit --json%s\n", more, f.args())
		}
	}
}

// printItems prints items of an audit for people, with their ids.
func printItems(a *cli.App, items []audit.Item) {
	a.Table(func(row func(...any)) {
		for _, it := range items {
			shown := it.Text
			switch {
			case it.Kind == knowledge.File:
				shown = pathEnd(shown)
			case it.Kind == knowledge.Decision && it.Detail != "": // Detail is the question that the decision answers
				shown = it.Detail + "  → " + shown
			}
			row(it.ID, text.CutUnits(cli.OneLine(shown), 140)) // also where the width is not known
		}
	})
}

// shownPath bounds a path in UTF-16 units, so that it fits beside an id on a terminal of 80 columns.
const shownPath = 50

// pathEnd returns a path of at most shownPath units whole. Of a longer path it returns the end, which begins with a whole name
// if possible: the ends of paths differ more than their beginnings.
func pathEnd(path string) string {
	end := text.EndUnits(path, shownPath)
	if i := strings.IndexByte(end, '/'); end != path && i > 0 && i < len(end)-1 {
		end = "…" + end[i:]
	}
	return end
}
