package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"

	"journal/events"
	"journal/journal"
	"journal/journal/wire"
	"journal/journal/wire/sock"
	"journal/projections"
)

// ask makes a request of the owner. A nil question is an empty one.
func ask(ctx context.Context, nc *nats.Conn, subject string, question, reply any) error {
	var body []byte
	if question != nil {
		var err error
		if body, err = wire.Encode(question); err != nil {
			return err
		}
	}
	m, err := nc.RequestWithContext(ctx, subject, body)
	if err != nil {
		return fmt.Errorf("ask the owner: %w", err)
	}
	return wire.Decode(m.Data, reply)
}

// askRunning asks the owner of the directory, if one runs. It starts none.
func askRunning(ctx context.Context, dir, subject string, question, reply any) error {
	nc, err := journal.Connect(ctx, dir)
	if errors.Is(err, sock.ErrNoOwner) {
		return nil
	}
	if err != nil {
		return err
	}
	defer nc.Close()
	return ask(ctx, nc, subject, question, reply)
}

// Reach connects as Connect does, and drains the spool as Drain does. If the owner leaves meanwhile, it reaches the
// next, once. nc is nil only when none was reached; the caller closes it, also after an error.
func Reach(ctx context.Context, dir string, start func(dir string) error) (nc *nats.Conn, left string, err error) {
	for again := true; ; again = false {
		if nc, err = Connect(ctx, dir, start); err != nil {
			return nil, "", err
		}
		if left, err = Drain(ctx, nc); !again || !journal.OwnerLeft(err) {
			return nc, left, err
		}
		nc.Close()
	}
}

// Drain returns when everything that waited in the spool is in the log. left says why some of it
// could not be stored, empty when nothing is left.
func Drain(ctx context.Context, nc *nats.Conn) (left string, err error) {
	var reply wire.Reply
	err = ask(ctx, nc, wire.Drain, nil, &reply)
	return reply.Error, err
}

// Confirm makes the owner record which texts arrived, as the transcript of a session shows.
// Without an owner it does nothing.
func Confirm(ctx context.Context, dir string, t projections.Target) error {
	var reply wire.Reply
	err := askRunning(ctx, dir, wire.Confirm, wire.ConfirmRequest{Project: t.Project, Session: t.Session}, &reply)
	if err == nil && reply.Error != "" {
		err = errors.New(reply.Error)
	}
	return err
}

// Judge makes the owner record what a judge answered about a compaction of a lane.
func Judge(ctx context.Context, nc *nats.Conn, t projections.Target, judged events.AuditJudged) error {
	var reply wire.Reply
	err := ask(ctx, nc, wire.Judge, wire.JudgeRequest{Project: t.Project, Session: t.Session, Lane: t.Lane, Judged: judged}, &reply)
	if err == nil && reply.Error != "" {
		err = errors.New(reply.Error)
	}
	return err
}

// LiveState is the state that an owner keeps of a lane.
type LiveState struct {
	Seq    uint64 // last event of the state; 0 if there is none
	Config projections.Config
	States map[string]any // by projection, ready for JSON
}

// Live asks the owner for the state that it keeps of a lane. Without an owner there is none.
func Live(ctx context.Context, dir string, t projections.Target) (LiveState, error) {
	live := LiveState{States: map[string]any{}}
	var reply wire.StateReply
	err := askRunning(ctx, dir, wire.State, wire.StateRequest{Project: t.Project, Session: t.Session, Lane: t.Lane}, &reply)
	if err == nil && reply.Error != "" {
		err = errors.New(reply.Error)
	}
	if err == nil && reply.Seq > 0 {
		err = json.Unmarshal(reply.Config, &live.Config)
	}
	if err != nil {
		return live, fmt.Errorf("the owner's state: %w", err)
	}
	live.Seq = reply.Seq
	for name, state := range reply.States {
		live.States[name] = json.RawMessage(state)
	}
	return live, nil
}
