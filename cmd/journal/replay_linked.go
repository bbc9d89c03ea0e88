package main

import (
	"context"
	"fmt"
	"slices"

	"journal/journal"
	"journal/projections"
)

// showLinked shows a session after the sessions that it goes on from, each as of
// the same sequence.
func (a *app) showLinked(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config, ps []projections.Projection, until uint64, asJSON bool) error {
	links := projections.NewFold(t, c, projections.Sessions)
	if err := a.forward(ctx, log, links, until); err != nil {
		return err
	}
	docs := []replayDoc{}
	for _, one := range chain(projections.Sessions.In(links), t) {
		doc, err := a.replayed(ctx, log, one, c, ps, until)
		if err != nil {
			return err
		}
		docs = append(docs, doc)
	}
	if asJSON {
		return a.printJSON(docs)
	}
	for i, doc := range docs {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		if err := a.printReplay(doc); err != nil {
			return err
		}
	}
	return nil
}

// chain gives the sessions that one goes on from, oldest first, and itself. Of
// those before it the main thread is meant: no subagent outlives its session.
func chain(all projections.SessionsState, t projections.Target) []projections.Target {
	targets := []projections.Target{t}
	for ref, ok := all.Of(t.Project, t.Session); ok && ref.Link != nil && ref.Link.Session != ""; {
		before := projections.Target{Project: t.Project, Session: ref.Link.Session}
		if slices.ContainsFunc(targets, func(seen projections.Target) bool { return seen.Session == before.Session }) {
			break // ids that come again
		}
		targets = append(targets, before)
		ref, ok = all.Of(before.Project, before.Session)
	}
	slices.Reverse(targets)
	return targets
}
