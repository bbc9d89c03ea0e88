package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"journal/embedded/sock"
	"journal/journal"
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
	What  string                     `json:"what"` // live: the state that the owner keeps
	Seq   uint64                     `json:"seq"`
	Equal bool                       `json:"equal"`
	Diff  map[string][]replay.Change `json:"diff,omitempty"` // from what is kept to what was replayed
}

// check folds the log anew and compares with what is kept.
func (a *app) check(ctx context.Context, log *journal.Log, t projections.Target) (checkDoc, error) {
	doc := checkDoc{Session: t.Session, Project: t.Project, Compared: []comparison{}}
	kept, err := a.liveState(ctx, t)
	if err != nil || kept.Seq == 0 {
		return doc, err
	}
	c := comparison{What: "live", Seq: kept.Seq}
	if c.Diff, err = compared(ctx, log, t, kept); err != nil {
		return doc, err
	}
	c.Equal = len(c.Diff) == 0
	doc.Compared, doc.Equal = append(doc.Compared, c), &c.Equal
	return doc, nil
}

// compared replays up to where a kept state stands.
func compared(ctx context.Context, log *journal.Log, t projections.Target, kept wire.StateReply) (map[string][]replay.Change, error) {
	var config projections.Config
	if err := json.Unmarshal(kept.Config, &config); err != nil {
		return nil, fmt.Errorf("the owner's state: %w", err)
	}
	ps, err := projectionsNamed(slices.Sorted(maps.Keys(kept.States)))
	if err != nil {
		return nil, fmt.Errorf("the owner's state: %w", err)
	}
	f := projections.NewFold(t, config, ps...)
	if err := replay.Forward(ctx, log, f, kept.Seq); err != nil {
		return nil, damaged(err)
	}
	all := map[string][]replay.Change{}
	for name, state := range f.States() {
		changes, err := replay.Diff(json.RawMessage(kept.States[name]), state)
		if err != nil {
			return nil, err
		}
		if len(changes) > 0 {
			all[name] = changes
		}
	}
	return all, nil
}

// liveState asks the owner for the state that it keeps; a zero reply is none.
func (a *app) liveState(ctx context.Context, t projections.Target) (wire.StateReply, error) {
	var reply wire.StateReply
	nc, err := journal.Connect(ctx, a.dir)
	if errors.Is(err, sock.ErrNoOwner) {
		return reply, nil
	}
	if err != nil {
		return reply, err
	}
	defer nc.Close()
	body, err := wire.Encode(wire.StateRequest{Project: t.Project, Session: t.Session, Lane: t.Lane})
	if err != nil {
		return reply, err
	}
	m, err := nc.RequestWithContext(ctx, wire.State, body)
	if err == nil {
		err = wire.Decode(m.Data, &reply)
	}
	if err == nil && reply.Error != "" {
		err = errors.New(reply.Error)
	}
	if err != nil {
		err = withHint(fmt.Errorf("ask the owner for its state: %w", err), "journal status")
	}
	return reply, err
}

// printCheck tells the result; what differs is damage, of the program or of its
// memory.
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
