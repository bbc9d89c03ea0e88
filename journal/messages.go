package journal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"journal/events"
	"journal/journal/record"
)

// maxGet bounds the messages of one direct get, and maxGetBytes their size. Larger
// bounds are no faster (docs/ENGINE.md §8) and take more memory.
const (
	maxGet      = 1000
	maxGetBytes = 4 << 20
)

// silence bounds the wait for the next message of a direct get. The server is on
// the same machine, so a longer silence is a fault.
const silence = 5 * time.Second

// messages returns the stored messages of a span whose subjects match a filter, by
// sequence. Without a filter it returns all, and reports missing sequences by hole.
//
// It ends with the span, with the log, or with a direct get that returns no message,
// even if the server reports pending ones: behind a damaged record it does so for ever.
func (l *Log) messages(ctx context.Context, span events.Span, filter string) iter.Seq2[record.Record, error] {
	if l.contents != nil {
		return l.messagesOffline(ctx, span, filter)
	}
	return func(yield func(record.Record, error) bool) {
		next := span.After + 1
		// passHole reports the sequences up to last as missing, and goes on behind them. It returns false after an error.
		passHole := func(last uint64) bool {
			if err := l.hole(next, last); err != nil {
				yield(record.Record{}, err)
				return false
			}
			next = last + 1
			return true
		}
		for next <= span.Until {
			got, ended := 0, false
			limit := int(min(maxGet, span.Until-next+1)) // further messages are behind the span
			pending, err := l.get(ctx, next, filter, limit, func(m record.Record) bool {
				missing := filter == "" && next < m.Seq && next <= span.Until
				if missing && !passHole(min(m.Seq-1, span.Until)) {
					ended = true
					return false
				}
				if m.Seq > span.Until {
					ended = true
					return false
				}
				got, next = got+1, m.Seq+1
				ended = !yield(m, nil)
				return !ended
			})
			if ended {
				return
			}
			if err != nil {
				yield(record.Record{}, fmt.Errorf("read from seq %d: %w", next, err))
				return
			}
			if got == 0 || pending == 0 {
				break
			}
		}
		if filter != "" || next > span.Until {
			return
		}
		// The server returned nothing more, but the span has not ended: the log is shorter, or damaged.
		st, err := l.Stats(ctx)
		if err != nil {
			yield(record.Record{}, err)
			return
		}
		if next <= st.Last {
			passHole(min(st.Last, span.Until))
		}
	}
}

// Decode decodes a message as a copy of the log stores it. foreign is true for a message that is no event, because no owner
// stored it: its id is empty, or differs from the id of the event in it. A client can make the server store such a message
// by naming a subject of the log as the reply subject of a request. For the mark of a removed event Decode returns the event
// log.forgotten. The error is events.ErrMalformed for unreadable bytes, record.ErrNewer for those of a later program.
func Decode(r record.Record) (e events.Envelope, foreign bool, err error) {
	if r.IsForgotten() {
		e, err = forgotten(r.Seq)
		return e, false, err
	}
	if r.ID == "" {
		return e, true, nil
	}
	plain, err := r.Unpack()
	if errors.Is(err, record.ErrPacked) {
		err = fmt.Errorf("%w: %w", events.ErrMalformed, err)
	}
	if err != nil {
		return e, false, err
	}
	e, err = events.Decode(plain.Data, r.Seq)
	return e, err == nil && e.ID != r.ID, err
}

// forgotten returns the event log.forgotten for the mark that stands at a sequence.
func forgotten(seq uint64) (events.Envelope, error) {
	e, err := events.Wrap(events.LogForgotten{Seq: seq, Reason: "removed for good"}, events.Meta{
		ID: events.DerivedID("log.forgotten", strconv.FormatUint(seq, 10)),
	})
	e.Seq = seq
	return e, err
}

// get makes one direct get for at most limit messages from a sequence on, and passes them to visit until it returns
// false. pending is the number of further messages that match the filter, 0 if visit returned false.
func (l *Log) get(ctx context.Context, seq uint64, filter string, limit int, visit func(record.Record) bool) (pending uint64, err error) {
	req, err := json.Marshal(struct {
		Seq      uint64 `json:"seq"`
		NextFor  string `json:"next_by_subj,omitempty"`
		Batch    int    `json:"batch"`
		MaxBytes int    `json:"max_bytes"`
	}{seq, filter, limit, maxGetBytes})
	if err != nil {
		return 0, err
	}
	inbox := l.nc.NewInbox()
	ch := make(chan *nats.Msg, maxGet+1)
	sub, err := l.nc.ChanSubscribe(inbox, ch)
	if err != nil {
		return 0, err
	}
	defer sub.Unsubscribe() //nolint:errcheck // the connection is gone, or it works
	if err := l.nc.PublishRequest(jetstream.DefaultAPIPrefix+"DIRECT.GET."+l.stream, inbox, req); err != nil {
		return 0, err
	}
	timer := time.NewTimer(silence)
	defer timer.Stop()
	for {
		timer.Reset(silence) // the time of visit does not count
		var m *nats.Msg
		select {
		case m = <-ch:
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-timer.C:
			return 0, fmt.Errorf("no answer within %v", silence)
		}
		switch status := m.Header.Get("Status"); status {
		case "":
		case "204", "404":
			pending, _ := strconv.ParseUint(m.Header.Get("Nats-Num-Pending"), 10, 64)
			return pending, nil
		default:
			return 0, fmt.Errorf("server answers %s %s", status, m.Header.Get("Description"))
		}
		n, err := strconv.ParseUint(m.Header.Get(nats.JSSequence), 10, 64)
		if err != nil {
			return 0, fmt.Errorf("sequence of an answer: %w", err)
		}
		if !visit(record.Record{Seq: n, Subject: m.Header.Get(nats.JSSubject), ID: m.Header.Get(record.IDHeader), Data: m.Data}) {
			return 0, nil
		}
	}
}
