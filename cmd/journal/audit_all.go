package main

import (
	"context"
	"fmt"
	"strings"
	"text/tabwriter"

	"journal/journal"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/knowledge"
)

// survival is what became of everything that was known before any compaction.
type survival struct {
	Sessions    int                                     `json:"sessions"` // with a compaction
	Compactions int                                     `json:"compactions"`
	Kinds       map[knowledge.Kind]map[audit.Status]int `json:"kinds"`

	kept map[knowledge.Kind]int // those of which the agent still has all
}

// auditAll audits every session and counts by kind.
func (a *app) auditAll(ctx context.Context, log *journal.Log, asJSON bool) error {
	refs, err := sessionsOf(ctx, log)
	if err != nil {
		return err
	}
	config := a.ownerConfig().Settings().Fold
	sum := survival{Kinds: map[knowledge.Kind]map[audit.Status]int{}, kept: map[knowledge.Kind]int{}}
	show, end := a.progress("audited")
	defer end()
	for i, ref := range atHome(refs) {
		t := projections.Target{Project: ref.project, Session: ref.session}
		if err := a.confirmReceipts(ctx, t); err != nil {
			a.note("an agent's transcript could not be looked at: " + err.Error())
		}
		r, err := audit.Audit(ctx, log, t, config)
		if err != nil {
			return damaged(err)
		}
		sum.add(r)
		if show != nil {
			show(int64(i+1), int64(len(refs)))
		}
	}
	end()
	if asJSON {
		return a.printJSON(sum)
	}
	a.printSurvival(sum)
	return nil
}

func (s *survival) add(r audit.Report) {
	if len(r.Compactions) > 0 {
		s.Sessions++
	}
	for _, c := range r.Compactions {
		s.Compactions++
		for _, it := range c.Items {
			if s.Kinds[it.Kind] == nil {
				s.Kinds[it.Kind] = map[audit.Status]int{}
			}
			s.Kinds[it.Kind][it.Status]++
			if it.Kept() {
				s.kept[it.Kind]++
			}
		}
	}
}

func (a *app) printSurvival(s survival) {
	fmt.Fprintf(a.out, "%d compactions of %d sessions\n", s.Compactions, s.Sessions)
	if s.Compactions == 0 {
		return
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "\nKIND\tKNOWN\t")
	for _, status := range audit.Statuses() {
		fmt.Fprintf(w, "%s\t", strings.ToUpper(label(status)))
	}
	fmt.Fprintln(w, "KEPT\t")
	for _, kind := range knowledge.Audited() {
		counts, kept, known := s.Kinds[kind], s.kept[kind], 0
		for _, n := range counts {
			known += n
		}
		if known == 0 {
			continue
		}
		fmt.Fprintf(w, "%s\t%d\t", kind, known)
		for _, status := range audit.Statuses() {
			fmt.Fprintf(w, "%d\t", counts[status])
		}
		fmt.Fprintf(w, "%d %%\t\n", (100*kept+known/2)/known)
	}
	_ = w.Flush()
}
