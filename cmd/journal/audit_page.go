package main

import (
	"context"
	"errors"
	"fmt"
	"io"
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
	agent, err := agentOf(ctx, log, t)
	if err != nil {
		return err
	}
	doc := page.Doc{
		Session: t.Session, Project: t.Project, Agent: agent, Title: a.title(ctx, log, t.Project, t.Session), Began: line.FirstAt, Timeline: line, Zone: time.Local,
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
	return a.writeHTML(path, len(doc.Compactions), func(w io.Writer) error { return page.Write(w, doc) })
}

// writeHTML writes a page about so many compactions to a file; - is stdout.
func (a *app) writeHTML(path string, compactions int, write func(io.Writer) error) error {
	if path == "-" {
		return write(a.out)
	}
	// Beside and renamed: a page that somebody has open stays whole.
	tmp, err := os.CreateTemp(filepath.Dir(path), ".audit-*.html")
	if err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	defer os.Remove(tmp.Name())
	if err := errors.Join(write(tmp), tmp.Close()); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	if err := os.Rename(tmp.Name(), path); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	fmt.Fprintf(a.out, "%s: %d compactions\n", path, compactions)
	return nil
}

func pageOf(c audit.Compaction) page.Compaction {
	p := page.Compaction{
		Ordinal: c.Ordinal, Lane: c.Lane, Seq: c.Seq, At: c.At.Time().UnixNano(), Trigger: c.Trigger, HasSummary: c.HasSummary,
		Share: shareOf(c.Totals),
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
			shown.Standing, shown.Evidence = "", evidenceText(it.Evidence, g.Means)
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
		if len(g.Items)+len(g.Routine) == 0 {
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

// evidenceText says why an item has its status, unless that is what the status means
// anyway, and which event shows it.
func evidenceText(e audit.Evidence, means string) string {
	said := e.Why
	if said == means {
		said = "see"
	}
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

func shareOf(t audit.Totals) page.Share {
	return page.Share{Known: t.Known, Kept: t.Kept, Lost: t.Lost, GivenBack: t.GivenBack}
}
