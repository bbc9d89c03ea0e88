package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"journal/cmd/journal/page"
	"journal/journal"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/timeline"
)

// means says what a status means for the agent.
var means = map[audit.Status]string{
	audit.Lost:       "the summary does not say it, and nothing else carried it",
	audit.Unknown:    "no summary was recorded, so nobody can say",
	audit.Offered:    "a recovery text carried it; that it arrived is not known",
	audit.OnDisk:     "a file held it, the context did not",
	audit.Reinjected: "a recovery text carried it, and the transcript shows that it arrived",
	audit.Preserved:  "the agent itself carried it over",
	audit.InSummary:  "the summary says it",
	audit.Reviewed:   "a compound went by it; nothing shows that it was promoted",
	audit.Promoted:   "it was promoted to lasting knowledge",
}

// writePage writes the audit as one page.
func (a *app) writePage(ctx context.Context, log *journal.Log, t projections.Target, r audit.Report, path string) error {
	config := a.ownerConfig().Settings().Fold
	line, err := timeline.Of(ctx, log, t, config, 0)
	if err != nil {
		return damaged(err)
	}
	e, err := log.LastOf(ctx, journal.Session{Project: t.Project, ID: t.Session})
	if err != nil {
		return err
	}
	doc := page.Doc{
		Session: t.Session, Project: t.Project, Agent: e.Agent, Title: a.title(ctx, log, t.Project, t.Session), Began: line.FirstAt, Timeline: line, Zone: time.Local,
		Routine: routineText(r.LostRoutine()),
	}
	doc.Info, doc.Urgent = config.Pressure.Levels()
	if len(r.Compactions) > 0 {
		doc.Headline = r.Totals.Headline()
	}
	for _, it := range r.Lost(false) {
		doc.Lacking = append(doc.Lacking, itemOnPage(it))
	}
	for _, c := range r.Compactions {
		doc.Compactions = append(doc.Compactions, pageOf(c))
	}
	if path == "-" {
		return page.Write(a.out, doc)
	}
	// Beside and renamed: a page that somebody has open stays whole.
	tmp, err := os.CreateTemp(filepath.Dir(path), ".audit-*.html")
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	defer os.Remove(tmp.Name())
	if err := errors.Join(page.Write(tmp, doc), tmp.Close()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	fmt.Fprintf(a.out, "%s: %d compactions\n", path, len(doc.Compactions))
	return nil
}

func pageOf(c audit.Compaction) page.Compaction {
	p := page.Compaction{
		Ordinal: c.Ordinal, Lane: c.Lane, Seq: c.Seq, At: c.At.Time().UnixNano(), Trigger: c.Trigger, HasSummary: c.HasSummary,
		Share: page.Share{Known: c.Totals.Known, Kept: c.Totals.Kept, Lost: c.Totals.Lost, GivenBack: c.Totals.GivenBack},
	}
	items := c.ByWorth()
	// What is missing comes first.
	for _, s := range slices.Backward(audit.Statuses()) {
		g := page.Group{Status: label(s), Means: means[s], Bad: s == audit.Lost}
		alike := true
		for _, it := range items {
			if it.Status != s {
				continue
			}
			shown := itemOnPage(it)
			shown.Standing, shown.Evidence = "", evidenceText(it.Evidence)
			if g.Evidence == "" {
				g.Evidence = shown.Evidence
			}
			alike = alike && g.Evidence == shown.Evidence
			if it.Routine {
				g.Routine = append(g.Routine, shown)
			} else {
				g.Items = append(g.Items, shown)
			}
		}
		if g.Count() == 0 {
			continue
		}
		if alike { // then it is said once
			for _, list := range [][]page.Item{g.Items, g.Routine} {
				for i := range list {
					list[i].Evidence = ""
				}
			}
		} else {
			g.Evidence = ""
		}
		p.Groups = append(p.Groups, g)
	}
	return p
}

func itemOnPage(it audit.Item) page.Item {
	said := it.Text
	if it.Detail != "" {
		said += "\n" + it.Detail
	}
	return page.Item{ID: it.ID, Kind: string(it.Kind), Text: said, Standing: standing(it), Seq: it.Seq}
}

// evidenceText says why an item has its status, and which event shows it.
func evidenceText(e audit.Evidence) string {
	said := e.Why
	if e.Path != "" {
		said += " (" + e.Path + ")"
	}
	for _, seq := range []uint64{e.Seq, e.Receipt} {
		if seq != 0 {
			said += fmt.Sprintf(" #%d", seq)
		}
	}
	return said
}
