package hubcopy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/journal/team"
)

// Source is the log that is copied; journal.Log is one.
type Source interface {
	// Stored gives what is stored in a span, in order and without gaps.
	Stored(ctx context.Context, span events.Span) iter.Seq2[record.Record, error]
}

var (
	// errBroken says that the copy on this laptop is no beginning of what it has to be. It is
	// made again.
	errBroken = errors.New("the team's copy on this laptop is damaged")
	// errHoles says that the hub's copy is not whole. One with a new number is made, here and at the hub.
	errHoles = errors.New("the hub's copy has holes")
)

const (
	// A batch is sent before it is waited for.
	copyBatch = 500
	copyBytes = 4 << 20

	// dedupeWindow is the least that the server takes. A copy is written much faster than the log,
	// which may hold an id again hours later: what comes again within forgetIDs goes without.
	dedupeWindow = 100 * time.Millisecond
	forgetIDs    = 2 * time.Second
)

// copier derives the copy from the log. Its methods are for one goroutine.
type copier struct {
	js     jetstream.JetStream
	source Source
	filter team.Filter
	local  jetstream.Stream
	last   uint64 // newest sequence of the copy
	ids    recent
}

// openCopy opens the copy, or makes an empty one. The error is errBroken when it is not of this log.
func openCopy(ctx context.Context, s *linkServer, w wire, source Source, share team.Share) (*copier, error) {
	js, err := jetstream.New(s.home)
	if err != nil {
		return nil, err
	}
	c := &copier{js: js, source: source, filter: share.Filter(), ids: recent{seed: maphash.MakeSeed()}}
	stream, err := js.CreateStream(ctx, jetstream.StreamConfig{
		Name: w.stream, Description: "what of the log its owner gives to a team",
		Subjects: []string{"journal.>"}, Storage: jetstream.FileStorage, Replicas: 1,
		Duplicates: dedupeWindow, AllowDirect: true,
	})
	if err != nil {
		return nil, fmt.Errorf("open the team's copy: %w", err)
	}
	st := stream.CachedInfo().State
	if !whole(st) {
		return nil, errBroken
	}
	c.local, c.last = stream, st.LastSeq
	if c.last == 0 {
		return c, nil
	}
	have, err := recordAt(ctx, stream, c.last)
	if err != nil {
		return nil, err
	}
	if same, err := c.same(ctx, have); err != nil || same {
		return c, err
	}
	return nil, fmt.Errorf("%w: #%d", errBroken, c.last)
}

// whole says whether a stream has every sequence from 1 on.
func whole(st jetstream.StreamState) bool {
	return st.Msgs == st.LastSeq && st.NumDeleted == 0 && (st.Msgs == 0 || st.FirstSeq == 1)
}

// recordAt gives what a stream holds at a sequence.
func recordAt(ctx context.Context, stream jetstream.Stream, seq uint64) (record.Record, error) {
	m, err := stream.GetMsg(ctx, seq)
	if err != nil {
		return record.Record{}, fmt.Errorf("read #%d of the team's copy: %w", seq, err)
	}
	return record.Record{Seq: seq, Subject: m.Subject, ID: m.Header.Get(record.IDHeader), Data: m.Data}.Unpack()
}

// logged gives what the log holds at a sequence; nothing when it ends before.
func (c *copier) logged(ctx context.Context, seq uint64) (is record.Record, err error) {
	for r, err := range c.source.Stored(ctx, events.Span{After: seq - 1, Until: seq}) {
		if err != nil {
			return r, err
		}
		r.Data = bytes.Clone(r.Data)
		is = r
	}
	return is, nil
}

// same says whether a record is what the copy has to hold at its sequence; none, without one, is.
func (c *copier) same(ctx context.Context, have record.Record) (bool, error) {
	if have.Seq == 0 {
		return true, nil
	}
	r, err := c.logged(ctx, have.Seq)
	want := c.filter.Derive(r)
	return r.Seq > 0 && want.Subject == have.Subject && bytes.Equal(want.Data, have.Data), err
}

// given are the subjects of what a copy gives of its log: places without content have shorter ones.
const given = "journal.*.*.>"

// next gives the sequence of the first event that the copy gives after one, 0 for none.
func (c *copier) next(ctx context.Context, after uint64) (uint64, error) {
	m, err := c.local.GetMsg(ctx, after+1, jetstream.WithGetMsgSubject(given))
	if errors.Is(err, jetstream.ErrMsgNotFound) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	return m.Sequence, nil
}

// follow copies what the log holds up to a sequence.
func (c *copier) follow(ctx context.Context, until uint64) error {
	if until <= c.last {
		return nil
	}
	var acks []jetstream.PubAckFuture
	size := 0
	flush := func() error {
		err := c.confirm(ctx, acks)
		acks, size = acks[:0], 0
		return err
	}
	for r, err := range c.source.Stored(ctx, events.Span{After: c.last, Until: until}) {
		if err != nil {
			return fmt.Errorf("copy for the team: %w", err)
		}
		ack, n, err := c.send(r)
		if err != nil {
			return fmt.Errorf("copy for the team: %w", err)
		}
		acks, size = append(acks, ack), size+n
		if len(acks) == copyBatch || size >= copyBytes {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

func (c *copier) send(r record.Record) (ack jetstream.PubAckFuture, size int, err error) {
	r = c.filter.Derive(r)
	if r.ID != "" && c.ids.again(r.ID) {
		r.ID = ""
	}
	m, err := journal.Message(r)
	if err != nil {
		return nil, 0, err
	}
	ack, err = c.js.PublishMsgAsync(m)
	return ack, len(m.Data), err
}

// confirm waits for what was sent, and checks where it landed.
func (c *copier) confirm(ctx context.Context, acks []jetstream.PubAckFuture) error {
	for _, ack := range acks {
		select {
		case stored := <-ack.Ok():
			if stored.Duplicate || stored.Sequence != c.last+1 {
				return fmt.Errorf("%w: #%d landed at #%d", errBroken, c.last+1, stored.Sequence)
			}
			c.last++
		case err := <-ack.Err():
			return fmt.Errorf("%w: #%d: %w", errBroken, c.last+1, err)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// recent remembers the ids of the last moments.
type recent struct {
	seed     maphash.Seed
	now, old map[uint64]struct{}
	turned   time.Time
}

// again says whether an id came lately.
func (r *recent) again(id string) bool {
	if since := time.Since(r.turned); r.now == nil || since > forgetIDs {
		r.old, r.now, r.turned = r.now, map[uint64]struct{}{}, time.Now()
	}
	h := maphash.String(r.seed, id)
	_, now := r.now[h]
	_, old := r.old[h]
	r.now[h] = struct{}{}
	return now || old
}
