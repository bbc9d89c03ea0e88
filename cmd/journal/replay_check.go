package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"journal/journal"
	"journal/journal/sock"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay"
)

// checkDoc says whether the state that the owner keeps is what a replay derives.
type checkDoc struct {
	Session  string       `json:"session"`
	Project  string       `json:"project"`
	Compared []comparison `json:"compared"`
	Equal    *bool        `json:"equal"` // null when there was nothing to compare
}

type comparison struct {
	What  string                     `json:"what"` // live: the state that the owner keeps
	Seq   uint64                     `json:"seq"`
	Equal bool                       `json:"equal"`
	Diff  map[string][]replay.Change `json:"diff,omitempty"` // from what is kept to what was replayed
}

// showCheck prints how the owner's state compares. A difference is damage, of the
// program or of its memory.
func (a *app) showCheck(ctx context.Context, log *journal.Log, t projections.Target, asJSON bool) error {
	doc, err := a.check(ctx, log, t)
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

// check folds the log anew and compares.
func (a *app) check(ctx context.Context, log *journal.Log, t projections.Target) (checkDoc, error) {
	doc := checkDoc{Session: t.Session, Project: t.Project, Compared: []comparison{}}
	live, err := a.liveState(ctx, t)
	if err != nil || live.seq == 0 {
		return doc, err
	}
	one := comparison{What: "live", Seq: live.seq}
	if one.Diff, err = a.compared(ctx, log, t, live); err != nil {
		return doc, err
	}
	one.Equal = len(one.Diff) == 0
	doc.Compared, doc.Equal = append(doc.Compared, one), &one.Equal
	return doc, nil
}

// liveState is the states of a lane that the owner keeps instead of folding again.
type liveState struct {
	seq    uint64 // where they stand; 0 when there are none
	config projections.Config
	states map[string]any // ready for JSON
}

// compared replays from the beginning up to where live states stand.
func (a *app) compared(ctx context.Context, log *journal.Log, t projections.Target, live liveState) (map[string][]replay.Change, error) {
	ps, err := projectionsNamed(slices.Sorted(maps.Keys(live.states)))
	if err != nil {
		return nil, fmt.Errorf("the live state: %w", err)
	}
	f := projections.NewFold(t, live.config, ps...)
	if err := a.forward(ctx, log, f, live.seq); err != nil {
		return nil, err
	}
	all := map[string][]replay.Change{}
	for name, state := range f.States() {
		changes, err := replay.Diff(live.states[name], state)
		if err != nil {
			return nil, err
		}
		if len(changes) > 0 {
			all[name] = changes
		}
	}
	return all, nil
}

// liveState asks the owner for the state that it keeps.
func (a *app) liveState(ctx context.Context, t projections.Target) (liveState, error) {
	nc, err := journal.Connect(ctx, a.dir)
	if errors.Is(err, sock.ErrNoOwner) {
		return liveState{}, nil
	}
	if err != nil {
		return liveState{}, err
	}
	defer nc.Close()
	body, err := wire.Encode(wire.StateRequest{Project: t.Project, Session: t.Session, Lane: t.Lane})
	if err != nil {
		return liveState{}, err
	}
	var reply wire.StateReply
	m, err := nc.RequestWithContext(ctx, wire.State, body)
	if err == nil {
		err = wire.Decode(m.Data, &reply)
	}
	if err == nil && reply.Error != "" {
		err = errors.New(reply.Error)
	}
	live := liveState{seq: reply.Seq, states: map[string]any{}}
	if err == nil && reply.Seq > 0 {
		err = json.Unmarshal(reply.Config, &live.config)
	}
	for name, state := range reply.States {
		live.states[name] = json.RawMessage(state)
	}
	if err != nil {
		err = withHint(fmt.Errorf("ask the owner for its state: %w", err), "journal status")
	}
	return live, err
}

func (a *app) printCheck(doc checkDoc) {
	if doc.Equal == nil {
		fmt.Fprintln(a.out, "nothing to compare: the owner keeps no state of this lane")
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
