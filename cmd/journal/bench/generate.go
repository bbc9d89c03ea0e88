package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/embedded"
	"journal/embedded/ownership"
	"journal/events"
	"journal/journal"
	"journal/journal/client"
	"journal/journal/redact"
)

// The shape of a generated log: sessions of 1,000 events, ten of them at work at
// a time.
const (
	sessionEvents = 1000
	atATime       = 10
	blockEvents   = sessionEvents * atATime
)

// batchEvents is how many events one atomic batch has: the most that the server
// takes. A batch is synced once; single events would take a sync each.
const batchEvents = 1000

// window is the dedupe window of a generated log, the least that the server
// takes. With the usual two minutes every generated id would be read again at
// each opening, which no user's log makes an owner do (DECISIONS 2.2, 3.24).
const window = 100 * time.Millisecond

// sessionName gives the id of the n-th session of a generated log.
func sessionName(n int) string { return fmt.Sprintf("%08x-0000-4000-8000-000000000000", n) }

// owning runs f as the owner of a directory, and closes the log cleanly.
func owning(ctx context.Context, dir string, f func(*journal.Log, jetstream.JetStream) error) (err error) {
	if err := ownership.Prepare(dir); err != nil {
		return err
	}
	lock, err := ownership.TryLock(dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	server, err := embedded.Own(ctx, lock, embedded.Options{Grace: time.Millisecond})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, server.Close()) }()
	js, err := jetstream.New(server.Conn())
	if err != nil {
		return err
	}
	log, err := journal.CreateLog(ctx, js)
	if err != nil {
		return err
	}
	return f(log.Through(embedded.Records(dir, log.Stream())), js)
}

// generate fills a new directory with n events, a multiple of 10,000. They have
// the times of years that are past.
func generate(ctx context.Context, dir, root string, s script, n int) error {
	return owning(ctx, dir, func(log *journal.Log, js jetstream.JetStream) error {
		return fill(ctx, log, js, client.ProjectKey(root), s, n)
	})
}

func fill(ctx context.Context, log *journal.Log, js jetstream.JetStream, project string, s script, n int) error {
	stream, err := js.Stream(ctx, log.Stream())
	if err != nil {
		return err
	}
	c := stream.CachedInfo().Config
	c.Duplicates = window
	if _, err := js.UpdateStream(ctx, c); err != nil {
		return fmt.Errorf("narrow the dedupe window: %w", err)
	}
	began := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	batch := make([]*nats.Msg, 0, batchEvents)
	for i := range n {
		if err := ctx.Err(); err != nil {
			return err
		}
		session := i/blockEvents*atATime + i%atATime
		id := events.DerivedID("bench", strconv.Itoa(i))
		e, err := events.Wrap(s.at(i%blockEvents/atATime, sessionEvents), events.Meta{
			ID: id, At: began.Add(time.Duration(i) * 20 * time.Second).UnixNano(), Agent: "claude",
			Session: sessionName(session), Project: project, Key: events.ToolKey + id[:16], Rules: int(redact.RuleSet),
		})
		if err != nil {
			return err
		}
		m := nats.NewMsg(journal.Subject(e.Meta))
		if m.Data, err = events.Encode(e); err != nil {
			return err
		}
		m.Header.Set(nats.MsgIdHdr, e.ID)
		if batch = append(batch, m); len(batch) == batchEvents {
			if err := publish(ctx, js.Conn(), batch); err != nil {
				return fmt.Errorf("generate events: %w", err)
			}
			batch = batch[:0]
		}
	}
	return nil
}

// publish appends messages as one atomic batch.
func publish(ctx context.Context, nc *nats.Conn, batch []*nats.Msg) error {
	name := nats.NewInbox()
	for i, m := range batch {
		m.Header.Set("Nats-Batch-Id", name[len(name)-22:])
		m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
		if i < len(batch)-1 {
			if err := nc.PublishMsg(m); err != nil {
				return err
			}
			continue
		}
		m.Header.Set("Nats-Batch-Commit", "1")
		reply, err := nc.RequestMsgWithContext(ctx, m)
		if err != nil {
			return err
		}
		var ack struct {
			Error *jetstream.APIError `json:"error"`
			Count int                 `json:"count"`
		}
		if err := json.Unmarshal(reply.Data, &ack); err != nil {
			return err
		}
		if ack.Error != nil {
			return ack.Error
		}
		if ack.Count != len(batch) {
			return fmt.Errorf("%d of %d events stored", ack.Count, len(batch))
		}
	}
	return nil
}
