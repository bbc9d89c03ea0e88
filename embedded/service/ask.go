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

// ask sends a request to the owner and decodes the owner's reply. A nil request is sent as an empty message.
func ask(ctx context.Context, nc *nats.Conn, subject string, request, reply any) error {
	var body []byte
	if request != nil {
		var err error
		if body, err = wire.Encode(request); err != nil {
			return err
		}
	}
	m, err := nc.RequestWithContext(ctx, subject, body)
	if err != nil {
		return fmt.Errorf("ask the owner: %w", err)
	}
	return wire.Decode(m.Data, reply)
}

// askRunning sends a request to the owner of the directory. Without a running owner it does nothing.
func askRunning(ctx context.Context, dir, subject string, request, reply any) error {
	nc, err := journal.Connect(ctx, dir)
	if errors.Is(err, sock.ErrNoOwner) {
		return nil
	}
	if err != nil {
		return err
	}
	defer nc.Close()
	return ask(ctx, nc, subject, request, reply)
}

// Reach connects as Connect does, and drains the spool as Drain does. If the owner leaves meanwhile, it tries the next owner, once. nc is
// nil only if no owner was reached. The caller closes nc, also after an error.
func Reach(ctx context.Context, dir string, start func(dir string) error) (nc *nats.Conn, reason string, err error) {
	for retry := true; ; retry = false {
		if nc, err = Connect(ctx, dir, start); err != nil {
			return nil, "", err
		}
		if reason, err = Drain(ctx, nc); !retry || !journal.OwnerLeft(err) {
			return nc, reason, err
		}
		nc.Close()
	}
}

// Drain makes the owner store all files of the spool in the log. reason is why some of them could not be stored, empty if all were.
func Drain(ctx context.Context, nc *nats.Conn) (reason string, err error) {
	var reply wire.Reply
	err = ask(ctx, nc, wire.Drain, nil, &reply)
	return reply.Error, err
}

// Confirm makes the owner record the receipts that the transcript of a session shows. Without an owner it does nothing.
func Confirm(ctx context.Context, dir string, t projections.Target) error {
	var reply wire.Reply
	err := askRunning(ctx, dir, wire.Confirm, wire.ConfirmRequest{Project: t.Project, Session: t.Session}, &reply)
	return errors.Join(err, replyError(reply.Error))
}

// replyError returns the error of a reply, nil for an empty text.
func replyError(text string) error {
	if text == "" {
		return nil
	}
	return errors.New(text)
}

// Judge makes the owner record the verdicts of a judge about a compaction of a lane. The error is that of the request, or the owner's.
func Judge(ctx context.Context, nc *nats.Conn, t projections.Target, judged events.AuditJudged) error {
	var reply wire.Reply
	err := ask(ctx, nc, wire.Judge, wire.JudgeRequest{Project: t.Project, Session: t.Session, Lane: t.Lane, Judged: judged}, &reply)
	return errors.Join(err, replyError(reply.Error))
}

// LiveState is the cached state of a lane in an owner.
type LiveState struct {
	Seq    uint64 // last event of the state; 0 if there is none
	Config projections.Config
	States map[string]any // by projection, each a json.RawMessage
}

// Live returns the owner's cached state of a lane, an empty state if no owner runs.
func Live(ctx context.Context, dir string, t projections.Target) (LiveState, error) {
	live := LiveState{States: map[string]any{}}
	var reply wire.StateReply
	err := askRunning(ctx, dir, wire.State, wire.StateRequest{Project: t.Project, Session: t.Session, Lane: t.Lane}, &reply)
	if err = errors.Join(err, replyError(reply.Error)); err == nil && reply.Seq > 0 {
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
