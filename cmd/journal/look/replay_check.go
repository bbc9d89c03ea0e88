package look

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"journal/cmd/journal/cli"
	"journal/embedded/service"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// checkDoc reports whether the owner's state equals that of a replay.
type checkDoc struct {
	Session  string       `json:"session"`
	Project  string       `json:"project"`
	Compared []comparison `json:"compared"` // the state that the owner keeps; empty if it keeps none
	Equal    *bool        `json:"equal"`    // null when there was nothing to compare
}

// comparison compares one state of the owner with the replayed one.
type comparison struct {
	What  string                     `json:"what"` // "live": the state that the owner keeps
	Seq   uint64                     `json:"seq"`
	Equal bool                       `json:"equal"`
	Diff  map[string][]replay.Change `json:"diff,omitempty"` // from the owner's state to the replayed one
}

// showCheck prints whether the owner's state equals a replay. A difference counts as damage: a bug
// of the program, or a fault of its memory.
func showCheck(ctx context.Context, a *cli.App, log *journal.Log, t projections.Target) error {
	doc := checkDoc{Session: t.Session, Project: t.Project, Compared: []comparison{}}
	live, err := service.Live(ctx, a.Dir, t)
	if err != nil {
		return cli.WithHint(err, "journal status")
	}
	if live.Seq != 0 {
		diff, err := replayDiff(ctx, log, t, live)
		if err != nil {
			return err
		}
		equal := len(diff) == 0
		doc.Compared, doc.Equal = append(doc.Compared, comparison{"live", live.Seq, equal, diff}), &equal
	}
	return a.PrintExit(doc, func() { printCheck(a, doc) }, doc.Equal != nil && !*doc.Equal, cli.ExitDamage)
}

// replayDiff returns the changes from live states to those of a replay up to their sequence.
func replayDiff(ctx context.Context, log *journal.Log, t projections.Target, live service.LiveState) (map[string][]replay.Change, error) {
	ps, err := projectionsNamed(slices.Sorted(maps.Keys(live.States)))
	if err != nil {
		return nil, fmt.Errorf("the live state: %w", err)
	}
	f := projections.NewFold(t, live.Config, ps...)
	if err := forward(ctx, log, f, live.Seq); err != nil {
		return nil, err
	}
	return replay.DiffStates(live.States, f.States())
}

// printCheck prints a check for people.
func printCheck(a *cli.App, doc checkDoc) {
	if doc.Equal == nil {
		fmt.Fprintln(a.Out, "nothing to compare: the owner keeps no state of this lane")
		return
	}
	c := doc.Compared[0]
	if c.Equal {
		fmt.Fprintf(a.Out, "%s state at #%d: equal to the replay\n", c.What, c.Seq)
		return
	}
	fmt.Fprintf(a.Out, "%s state at #%d differs from the replay\n", c.What, c.Seq)
	for _, name := range slices.Sorted(maps.Keys(c.Diff)) {
		for _, change := range c.Diff[name] {
			fmt.Fprintf(a.Out, "  %s %s: owner %s, replay %s\n", name, cli.OneLine(change.Path), valueText(change.From), valueText(change.To))
		}
	}
}

// valueText returns a JSON value of a state as text; no value is shown as null is.
func valueText(b json.RawMessage) string {
	return cli.StateText{}.Value(cli.StateMember{Value: orNull(b)})
}

// orNull returns a JSON value, or null if there is none.
func orNull(b json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return json.RawMessage("null")
	}
	return b
}
