package main

import (
	"context"
	"fmt"
	"slices"
	"text/tabwriter"

	"journal/journal"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/knowledge"
)

// auditAll audits every session and counts by kind.
func (a *app) auditAll(ctx context.Context, log *journal.Log) error {
	sessions, err := log.SessionsAtHome(ctx)
	if err != nil {
		return err
	}
	config := a.ownerConfig().Settings().Fold
	sum := audit.Survival{Kinds: map[knowledge.Kind]audit.Counts{}}
	show, end := a.progress("audited")
	defer end()
	for i, s := range sessions {
		t := projections.Target{Project: s.Project, Session: s.ID}
		a.confirmReceipts(ctx, t, "an agent's transcript")
		r, err := audit.Audit(ctx, log, t, config)
		if err != nil {
			return damaged(err)
		}
		sum.Add(r)
		if show != nil {
			show(int64(i+1), int64(len(sessions)))
		}
	}
	end()
	return a.print(sum, func() { a.printSurvival(sum) })
}

func (a *app) printSurvival(s audit.Survival) {
	fmt.Fprintf(a.out, "%d compactions of %d sessions\n", s.Compactions, s.Sessions)
	if s.Compactions == 0 {
		return
	}
	fmt.Fprintf(a.out, "%s\n\n", s.Totals.Headline())
	a.columns(tabwriter.AlignRight, func(row func(...any)) {
		row(slices.Concat([]any{"KIND", "KNOWN"}, statusCells(statusTitle), []any{"KEPT"})...)
		for _, kind := range knowledge.Audited() {
			counts := s.Kinds[kind]
			known, kept := s.Known(kind)
			if known == 0 {
				continue
			}
			cells := statusCells(func(status audit.Status) any { return counts[status] })
			row(slices.Concat([]any{kind, known}, cells, []any{fmt.Sprintf("%d %%", (100*kept+known/2)/known)})...)
		}
	})
}
