package look

import (
	"context"
	"io"
	"time"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/page"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay/audit"
	"journal/replay/timeline"
)

// writePage writes the audit r of a session as one page to the file path, "-" for stdout. shown holds the compactions that the
// page lists, with their items.
func writePage(ctx context.Context, a *cli.App, log *journal.Log, t projections.Target, r, shown audit.Report, path string) error {
	config := a.OwnerConfig().Settings().Fold
	line, err := timeline.Of(ctx, log, t, config, 0)
	if err != nil {
		return cli.Damaged(err)
	}
	agent, err := cli.AgentOf(ctx, a, log, t)
	if err != nil {
		return err
	}
	doc := page.Doc{
		Session: t.Session, Project: t.Project, Agent: agent, Title: cli.Title(ctx, a, log, t.Project, t.Session), Began: line.FirstAt, Timeline: line, Zone: time.Local,
		Lacking: append(r.WithStatus(audit.Lost), r.WithStatus(audit.Unclear)...), Compactions: shown.Compactions,
	}
	doc.Info, doc.Urgent = config.Pressure.Levels()
	if len(r.Compactions) > 0 {
		doc.Headline = r.Totals.Headline()
	}
	return cli.WritePage(a, path, text.Counted(len(doc.Compactions), "compaction"), func(w io.Writer) error { return page.Write(w, doc) })
}
