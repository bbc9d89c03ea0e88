package look

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/catalogue"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay/audit"
)

// auditAll audits every session that the flags select, and prints how much each kept and lost.
func auditAll(ctx context.Context, a *cli.App, log *journal.Log, f auditFlags) error {
	table, err := cli.Catalogue(ctx, a, log)
	if err != nil {
		return err
	}
	sum, sessions, err := survey(ctx, a, log, table, f)
	switch {
	case err != nil:
		return err
	case f.csv:
		return printCompactionsCSV(a, sessions)
	}
	return a.Print(sum, func() { printSurvival(a, table, sum) })
}

// sessionAudit holds the numbers of one session's audit.
type sessionAudit struct {
	audit.Sum
	target projections.Target
	title  string
}

// survey audits the sessions that the flags select. It returns the sums over all of them, and the audit of each session with a
// compaction.
func survey(ctx context.Context, a *cli.App, log *journal.Log, table *catalogue.Table, f auditFlags) (audit.Survival, []sessionAudit, error) {
	all := audit.NewSurvival()
	config := a.OwnerConfig().Settings().Fold
	audits := cli.Audits(a, log, config)
	var rows []*catalogue.Row
	allKnown := true // every session has a stored audit
	for _, s := range journal.InMainProjects(table.Sessions()) {
		if !cli.NamesProject(a, table, s.Project, f.target.Project) {
			continue
		}
		r := table.Row(s.Project, s.ID)
		rows = append(rows, r)
		if _, known := audits.Cached(table, r); !known {
			allKnown = false
			a.ConfirmReceipts(ctx, projections.Target{Project: s.Project, Session: s.ID}, "an agent's transcript")
		}
	}
	if len(rows) == 0 {
		return all, nil, a.CheckProject(ctx, log, f.target.Project)
	}
	if !allKnown { // the table lacks what ConfirmReceipts made the owner record
		if err := table.Forward(ctx, log, nil); err != nil {
			return all, nil, cli.Damaged(err)
		}
	}
	var sessions []sessionAudit
	show, end := a.Progress("sessions audited")
	defer end()
	for i, r := range rows {
		show(int64(i), int64(len(rows)))
		sum, err := sumOf(ctx, log, audits, table, r, config, f.since.From)
		if err != nil {
			return all, nil, cli.Damaged(err)
		}
		if len(sum.Compactions) == 0 {
			continue
		}
		result := sessionAudit{sum, projections.Target{Project: r.Project, Session: r.ID}, cli.OneLine(r.Title)}
		all.Add(sum, r.ID, r.Project, result.title)
		sessions = append(sessions, result)
	}
	cli.SaveAudits(a, audits)
	return all, sessions, nil
}

// sumOf returns the sum over a session's compactions since a time, from the stored audits if they have it.
func sumOf(ctx context.Context, log *journal.Log, audits *catalogue.Audits, t *catalogue.Table, r *catalogue.Row, c projections.Config, since time.Time) (audit.Sum, error) {
	if known, ok := audits.Cached(t, r); ok {
		if sum, ok := known.Since(since); ok {
			return sum, nil
		}
	}
	mark := catalogue.MarkOf(t, r)
	report, err := audit.Audit(ctx, log, projections.Target{Project: r.Project, Session: r.ID}, c)
	if err != nil {
		return audit.Sum{}, err
	}
	audits.Put(mark, report)
	return report.Since(since).Sum(), nil
}

// shownTotals bounds the sessions that printSessionTotals lists.
const shownTotals = 20

// printSurvival prints the audit of many sessions for people.
func printSurvival(a *cli.App, t *catalogue.Table, s audit.Survival) {
	fmt.Fprintf(a.Out, "%s of %s\n", text.Counted(s.Compactions, "compaction"), text.Counted(s.Sessions, "session"))
	if s.Compactions == 0 {
		return
	}
	a.PrintBeside("", s.Totals.Headline())
	printSessionTotals(a, t, s.BySession)
	fmt.Fprintln(a.Out, "\nkinds, each item counted once:")
	countsTable([]any{"KIND"}, s.ByKind, func(k audit.KindTotals) ([]any, audit.Totals) {
		return []any{string(k.Kind)}, k.Totals
	}).print(a)
	fmt.Fprintln(a.Out, "\nclients, each item counted at every compaction before which it was known:")
	countsTable([]any{"CLIENT", "COMP."}, s.ByClient, func(c audit.ClientTotals) ([]any, audit.Totals) {
		return []any{clientName(c.Agent, c.Client), c.Compactions}, c.Totals
	}).print(a)
	fmt.Fprintln(a.Out, "\nweeks, counted the same way:")
	countsTable([]any{"WEEK", "COMP."}, s.ByWeek, func(w audit.WeekTotals) ([]any, audit.Totals) {
		return []any{w.Monday, w.Compactions}, w.Totals
	}).print(a)
}

// printSessionTotals prints a table of the first shownTotals sessions. all is sorted: those that lost most come first.
func printSessionTotals(a *cli.App, t *catalogue.Table, all []audit.SessionTotals) {
	shown := all[:min(len(all), shownTotals)]
	rows := table{{"SESSION", "DATE", "COMP.", always("WORTH"), always("LOST"), "RESTORED", "UNCLEAR", "PROJECT"}}
	for _, s := range shown {
		rows = append(rows, []any{
			journal.ShortID(s.Session), s.At.Time().Local().Format(time.DateOnly), s.Compactions, s.Known, s.Lost, s.Restored, s.Unclear,
			text.CutColumns(t.Name(s.Project), projectColumns),
		})
	}
	left := max(a.Width(), tableColumns) // for the title
	for _, column := range rows.columns() {
		left -= widthOf(column)
	}
	rows[0] = append(rows[0], "FIRST REQUEST")
	for i, s := range shown {
		rows[i+1] = append(rows[i+1], text.CutColumns(s.Title, left))
	}
	fmt.Fprintln(a.Out, "\nsessions that lost most first, each item counted once (audit --session S):")
	rows.print(a)
	if more := len(all) - len(shown); more > 0 {
		fmt.Fprintf(a.Out, "… %d more: journal audit --all --json, or --csv\n", more)
	}
}

// clientName returns the name of an agent with its version. Either may be unknown.
func clientName(agent, version string) string {
	name := cmp.Or(cli.OneLine(agent), "unknown")
	if version == "" {
		return name + ", version unknown"
	}
	return name + " " + cli.OneLine(version)
}
