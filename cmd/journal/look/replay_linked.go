package look

import (
	"context"
	"fmt"

	"journal/cmd/journal/cli"
	"journal/journal"
	"journal/projections"
)

// showLinked shows a session after the sessions that it goes on from, each as of
// the same sequence.
func showLinked(ctx context.Context, a *cli.App, log *journal.Log, t projections.Target, c projections.Config, ps []projections.Projection, until uint64) error {
	links := projections.NewFold(t, c, projections.Sessions)
	if err := forward(ctx, a, log, links, until); err != nil {
		return err
	}
	docs := []replayDoc{}
	for _, one := range projections.Sessions.In(links).Chain(t) {
		doc, err := replayed(ctx, a, log, one, c, ps, until)
		if err != nil {
			return err
		}
		docs = append(docs, doc)
	}
	if a.AsJSON {
		return a.PrintJSON(docs)
	}
	for i, doc := range docs {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		if err := printReplay(ctx, a, log, doc); err != nil {
			return err
		}
	}
	return nil
}
