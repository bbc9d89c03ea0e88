package look

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// diffPoint is one end of a comparison.
type diffPoint struct {
	Seq uint64 `json:"seq"`
	At  string `json:"at"` // own time of the session's newest event up to there
}

// diffDoc is what changed between two points.
type diffDoc struct {
	Session string                     `json:"session"`
	Project string                     `json:"project"`
	Agent   string                     `json:"agent"`
	From    diffPoint                  `json:"from"`
	To      diffPoint                  `json:"to"`
	Diff    map[string][]replay.Change `json:"diff"` // projections without a change are left out

	lane string
}

// between reads A..B, each a point; an empty A is the beginning and an empty B the end.
func between(s string) (from, to point, err error) {
	a, b, ok := strings.Cut(s, "..")
	if !ok {
		return from, to, fmt.Errorf("%q is no span: A..B, each a point: %s", s, pointForms)
	}
	if a = strings.TrimSpace(a); a == "" {
		a = "0"
	}
	if err = from.Set(a); err == nil && strings.TrimSpace(b) != "" {
		err = to.Set(b)
	}
	return from, to, err
}

// showDiff prints what changed.
func showDiff(ctx context.Context, a *cli.App, log *journal.Log, t projections.Target, c projections.Config, ps []projections.Projection, f replayFlags) error {
	doc, err := diff(ctx, a, log, t, c, ps, f.diff)
	if err != nil {
		return err
	}
	return a.Print(doc, func() { printDiff(ctx, a, log, doc) })
}

// diff folds up to both points and compares the states.
func diff(ctx context.Context, a *cli.App, log *journal.Log, t projections.Target, conf projections.Config, ps []projections.Projection, points string) (diffDoc, error) {
	doc := diffDoc{Session: t.Session, Project: t.Project, lane: t.Lane, Diff: map[string][]replay.Change{}}
	left, right, err := between(points)
	if err != nil {
		return doc, err
	}
	if doc.From.Seq, err = left.sequence(ctx, log, t); err != nil {
		return doc, err
	}
	if doc.To.Seq, err = right.sequence(ctx, log, t); err != nil {
		return doc, err
	}
	if doc.From.Seq > doc.To.Seq {
		return doc, errors.New("the first point is behind the second")
	}
	f := projections.NewFold(t, conf, ps...)
	forward := func(p *diffPoint) error {
		if err := forward(ctx, a, log, f, p.Seq); err != nil {
			return err
		}
		if f.Count() > 0 {
			p.At = f.Last().Time().Format(time.RFC3339Nano)
		}
		return nil
	}
	if err := forward(&doc.From); err != nil {
		return doc, err
	}
	before := f.Clone().States()
	if err := forward(&doc.To); err != nil {
		return doc, err
	}
	doc.Agent = f.Last().Agent
	doc.Diff, err = replay.DiffStates(before, f.States())
	return doc, err
}
