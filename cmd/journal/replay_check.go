package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"journal/cmd/journal/snapshots"
	"journal/embedded/service"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// checkDoc says whether what is kept of a session is what a replay derives.
type checkDoc struct {
	Session  string       `json:"session"`
	Project  string       `json:"project"`
	Compared []comparison `json:"compared"`
	Equal    *bool        `json:"equal"` // null when there was nothing to compare
}

type comparison struct {
	What  string                     `json:"what"` // live: the state that the owner keeps; snapshot: the newest one
	Seq   uint64                     `json:"seq"`
	Equal bool                       `json:"equal"`
	Diff  map[string][]replay.Change `json:"diff,omitempty"` // from what is kept to what was replayed
}

// showCheck prints how what is kept compares. A difference is damage, of the
// program or of its memory.
func (a *app) showCheck(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config) error {
	doc, err := a.check(ctx, log, t, c)
	if err != nil {
		return err
	}
	err = a.print(doc, func() { a.printCheck(doc) })
	if err == nil && doc.Equal != nil && !*doc.Equal {
		err = exitWith(exitDamage)
	}
	return err
}

// check folds the log anew and compares with what is kept.
func (a *app) check(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config) (checkDoc, error) {
	doc := checkDoc{Session: t.Session, Project: t.Project, Compared: []comparison{}}
	live, err := service.Live(ctx, a.dir, t)
	if err != nil {
		return doc, withHint(err, "journal status")
	}
	saved, err := a.savedState(ctx, log, t, c)
	if err != nil {
		return doc, err
	}
	equal := true
	for _, k := range []comparand{{"live", live}, {"snapshot", saved}} {
		if k.Seq == 0 {
			continue
		}
		one := comparison{What: k.what, Seq: k.Seq}
		if one.Diff, err = a.compared(ctx, log, t, k); err != nil {
			return doc, err
		}
		one.Equal = len(one.Diff) == 0
		equal = equal && one.Equal
		doc.Compared, doc.Equal = append(doc.Compared, one), &equal
	}
	return doc, nil
}

// comparand is states that somebody keeps instead of folding again.
type comparand struct {
	what string
	service.LiveState
}

// compared replays from the beginning up to where kept states stand.
func (a *app) compared(ctx context.Context, log *journal.Log, t projections.Target, k comparand) (map[string][]replay.Change, error) {
	ps, err := projectionsNamed(slices.Sorted(maps.Keys(k.States)))
	if err != nil {
		return nil, fmt.Errorf("the %s state: %w", k.what, err)
	}
	f := projections.NewFold(t, k.Config, ps...)
	if err := a.forward(ctx, log, f, k.Seq); err != nil {
		return nil, err
	}
	return replay.DiffStates(k.States, f.States())
}

// savedState gives what the lane's newest snapshot holds.
func (a *app) savedState(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config) (service.LiveState, error) {
	st, err := log.Stats(ctx)
	if err != nil {
		return service.LiveState{}, err
	}
	s, ok := snapshots.In(a.dir).Newest(ctx, log, t, c, st.Last)
	if !ok {
		return service.LiveState{}, nil
	}
	f, err := s.Fold(projections.All()...)
	if err != nil {
		return service.LiveState{}, nil // a replay does not use it either
	}
	return service.LiveState{Seq: s.Place.Seq, Config: c, States: f.States()}, nil
}

func (a *app) printCheck(doc checkDoc) {
	if doc.Equal == nil {
		fmt.Fprintln(a.out, "nothing to compare: the owner keeps no state of this lane, and no snapshot")
		return
	}
	for _, c := range doc.Compared {
		if c.Equal {
			fmt.Fprintf(a.out, "%s state at #%d: equal to the replay\n", c.What, c.Seq)
			continue
		}
		fmt.Fprintf(a.out, "%s state at #%d differs from the replay\n", c.What, c.Seq)
		for _, name := range slices.Sorted(maps.Keys(c.Diff)) {
			for _, change := range c.Diff[name] {
				fmt.Fprintf(a.out, "  %s %s: kept %s, replayed %s\n", name, oneLine(change.Path), scalar(orNull(change.From)), scalar(orNull(change.To)))
			}
		}
	}
}

func orNull(b json.RawMessage) json.RawMessage {
	if len(b) == 0 {
		return json.RawMessage("null")
	}
	return b
}
