package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"journal/cmd/journal/snapshots"
	"journal/journal"
	"journal/journal/sock"
	"journal/journal/wire"
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
func (a *app) showCheck(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config, asJSON bool) error {
	doc, err := a.check(ctx, log, t, c)
	if err != nil {
		return err
	}
	if asJSON {
		err = a.printJSON(doc)
	} else {
		a.printCheck(doc)
	}
	if err == nil && doc.Equal != nil && !*doc.Equal {
		err = exitWith(exitDamage)
	}
	return err
}

// check folds the log anew and compares with what is kept.
func (a *app) check(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config) (checkDoc, error) {
	doc := checkDoc{Session: t.Session, Project: t.Project, Compared: []comparison{}}
	live, err := a.liveState(ctx, t)
	if err != nil {
		return doc, err
	}
	saved, err := a.savedState(ctx, log, t, c)
	if err != nil {
		return doc, err
	}
	equal := true
	for _, k := range []kept{live, saved} {
		if k.seq == 0 {
			continue
		}
		one := comparison{What: k.what, Seq: k.seq}
		if one.Diff, err = a.compared(ctx, log, t, k); err != nil {
			return doc, err
		}
		one.Equal = len(one.Diff) == 0
		equal = equal && one.Equal
		doc.Compared, doc.Equal = append(doc.Compared, one), &equal
	}
	return doc, nil
}

// kept is states that somebody keeps instead of folding again.
type kept struct {
	what   string
	seq    uint64 // where they stand; 0 when there are none
	config projections.Config
	states map[string]any // ready for JSON
}

// compared replays from the beginning up to where kept states stand.
func (a *app) compared(ctx context.Context, log *journal.Log, t projections.Target, k kept) (map[string][]replay.Change, error) {
	ps, err := projectionsNamed(slices.Sorted(maps.Keys(k.states)))
	if err != nil {
		return nil, fmt.Errorf("the %s state: %w", k.what, err)
	}
	f := projections.NewFold(t, k.config, ps...)
	if err := a.forward(ctx, log, f, k.seq); err != nil {
		return nil, err
	}
	all := map[string][]replay.Change{}
	for name, state := range f.States() {
		changes, err := replay.Diff(k.states[name], state)
		if err != nil {
			return nil, err
		}
		if len(changes) > 0 {
			all[name] = changes
		}
	}
	return all, nil
}

// savedState gives what the lane's newest snapshot holds.
func (a *app) savedState(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config) (kept, error) {
	st, err := log.Stats(ctx)
	if err != nil {
		return kept{}, err
	}
	s, ok := snapshots.In(a.dir).Newest(ctx, log, t, c, st.Last)
	if !ok {
		return kept{}, nil
	}
	f, err := s.Fold(projections.All()...)
	if err != nil {
		return kept{}, nil // a replay does not use it either
	}
	return kept{"snapshot", s.Place.Seq, c, f.States()}, nil
}

// liveState asks the owner for the state that it keeps.
func (a *app) liveState(ctx context.Context, t projections.Target) (kept, error) {
	nc, err := journal.Connect(ctx, a.dir)
	if errors.Is(err, sock.ErrNoOwner) {
		return kept{}, nil
	}
	if err != nil {
		return kept{}, err
	}
	defer nc.Close()
	body, err := wire.Encode(wire.StateRequest{Project: t.Project, Session: t.Session, Lane: t.Lane})
	if err != nil {
		return kept{}, err
	}
	var reply wire.StateReply
	m, err := nc.RequestWithContext(ctx, wire.State, body)
	if err == nil {
		err = wire.Decode(m.Data, &reply)
	}
	if err == nil && reply.Error != "" {
		err = errors.New(reply.Error)
	}
	k := kept{what: "live", seq: reply.Seq, states: map[string]any{}}
	if err == nil && reply.Seq > 0 {
		err = json.Unmarshal(reply.Config, &k.config)
	}
	for name, state := range reply.States {
		k.states[name] = json.RawMessage(state)
	}
	if err != nil {
		err = withHint(fmt.Errorf("ask the owner for its state: %w", err), "journal status")
	}
	return k, err
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
