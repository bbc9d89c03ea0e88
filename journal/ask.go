package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"

	"journal/events"
)

// batch is how many events one request asks for, and how many bytes it may get
// in answer. Larger ones are no faster (JETSTREAM section 3) and hold more.
const (
	batch      = 1000
	batchBytes = 4 << 20
)

// silence is how long a reader waits for the next event of a batch that was
// promised. The server is in the same machine: more than a hiccup is a fault.
const silence = 5 * time.Second

// messages reads what is stored, whatever it is. With an empty filter a missing
// sequence is ErrHole.
//
// It asks for batches and ends where the span ends or a batch brings nothing;
// waiting until nothing is pending would wait for ever behind a damaged record
// (DESIGN 9).
func (l *Log) messages(ctx context.Context, span events.Span, filter string) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		next := span.After + 1
		hole := func(last uint64) {
			yield(stored{}, fmt.Errorf("read the log: %w: %d to %d", ErrHole, next, last))
		}
		for next <= span.Until {
			got, pending := 0, uint64(0)
			most := batch
			if filter == "" || filter == everything {
				most = int(min(batch, span.Until-next+1))
			}
			for m, err := range l.batch(ctx, next, filter, most) {
				if err != nil {
					yield(stored{}, err)
					return
				}
				if m.end {
					pending = m.pending
					break
				}
				if next > span.Until {
					return
				}
				if filter == "" && m.seq != next {
					hole(min(m.seq-1, span.Until))
					return
				}
				if m.seq > span.Until {
					return
				}
				got, next = got+1, m.seq+1
				if !yield(m, nil) {
					return
				}
			}
			if got == 0 || pending == 0 {
				break
			}
		}
		if filter != "" || next > span.Until {
			return
		}
		// Nothing comes before the end of the span: the log is shorter, or damaged.
		st, err := l.Stats(ctx)
		if err != nil {
			yield(stored{}, err)
			return
		}
		if next <= st.Last {
			hole(min(st.Last, span.Until))
		}
	}
}

// decode reads a stored message. One without its event's id as message id was
// not stored by an owner: a guest of the server can have the answer to a request
// sent to a subject of the log. It holds a place and is no event.
func decode(id, data []byte, seq uint64) (e events.Envelope, foreign bool, err error) {
	if len(id) == 0 {
		return e, true, nil
	}
	e, err = events.Decode(data, seq)
	return e, err == nil && e.ID != string(id), err
}

type stored struct {
	seq     uint64
	subject string
	id      []byte // message id
	data    []byte
	end     bool
	pending uint64 // with end: matching events after this batch
}

// batch makes one direct get request for at most so many messages and gives those
// of its answer, the last of them with end set.
func (l *Log) batch(ctx context.Context, seq uint64, filter string, most int) iter.Seq2[stored, error] {
	return func(yield func(stored, error) bool) {
		fail := func(err error) { yield(stored{}, fmt.Errorf("read from seq %d: %w", seq, err)) }
		req, err := json.Marshal(struct {
			Seq      uint64 `json:"seq"`
			NextFor  string `json:"next_by_subj,omitempty"`
			Batch    int    `json:"batch"`
			MaxBytes int    `json:"max_bytes"`
		}{seq, filter, most, batchBytes})
		if err != nil {
			fail(err)
			return
		}
		inbox := l.nc.NewInbox()
		ch := make(chan *nats.Msg, batch+1)
		sub, err := l.nc.ChanSubscribe(inbox, ch)
		if err != nil {
			fail(err)
			return
		}
		defer sub.Unsubscribe() //nolint:errcheck // the connection is gone, or it works
		if err := l.nc.PublishRequest("$JS.API.DIRECT.GET."+l.stream, inbox, req); err != nil {
			fail(err)
			return
		}
		timer := time.NewTimer(silence)
		defer timer.Stop()
		for {
			var m *nats.Msg
			select {
			case m = <-ch:
			case <-ctx.Done():
				fail(ctx.Err())
				return
			case <-timer.C:
				fail(fmt.Errorf("no answer within %v", silence))
				return
			}
			timer.Reset(silence)
			switch status := m.Header.Get("Status"); status {
			case "":
			case "204", "404":
				pending, _ := strconv.ParseUint(m.Header.Get("Nats-Num-Pending"), 10, 64)
				yield(stored{end: true, pending: pending}, nil)
				return
			default:
				fail(fmt.Errorf("server answers %s %s", status, m.Header.Get("Description")))
				return
			}
			n, err := strconv.ParseUint(m.Header.Get(nats.JSSequence), 10, 64)
			if err != nil {
				fail(fmt.Errorf("sequence of an answer: %w", err))
				return
			}
			if !yield(stored{seq: n, subject: m.Header.Get(nats.JSSubject), id: []byte(m.Header.Get(nats.MsgIdHdr)), data: m.Data}, nil) {
				return
			}
		}
	}
}
