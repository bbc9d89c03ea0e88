package journal

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
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

// Events gives the stored events of a span that any of the selectors names, in
// order of their sequence, each once; no selector names all. Echoes are given
// too. It ends where the span does, or the log when that is shorter. An error
// ends the sequence: ErrHole when the whole log is read and a sequence is
// missing, events.ErrMalformed for stored bytes that cannot be read.
func (l *Log) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		if span.Until == 0 {
			st, err := l.Stats(ctx)
			if err != nil {
				yield(events.Envelope{}, err)
				return
			}
			span.Until = st.Last
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		sel = widest(sel)
		if len(sel) > 1 && span.Until < span.After+batch {
			l.pick(ctx, span, sel)(yield)
			return
		}
		var sources []iter.Seq2[events.Envelope, error]
		if len(sel) == 0 {
			sources = append(sources, l.scan(ctx, span, ""))
		}
		for _, s := range sel {
			sources = append(sources, l.scan(ctx, span, subject(s)))
		}
		merge(sources)(yield)
	}
}

// everything is a filter that every subject of the log passes. Unlike no filter
// it makes no claim that sequences follow each other.
const everything = subjectRoot + ".>"

// pick reads a short span whole, in one request, and gives what the selectors
// name. A fold that is moved forward reads a dozen types of a project: asking for
// each costs a request that looks through the store's index, 1 to 2 ms in a long
// log, for the few events that came since.
func (l *Log) pick(ctx context.Context, span events.Span, sel []events.Selector) iter.Seq2[events.Envelope, error] {
	return decoded(l.messages(ctx, span, everything), func(subject string) bool {
		return slices.ContainsFunc(sel, func(s events.Selector) bool { return names(s, subject) })
	})
}

// scan reads the events of one subject filter, or of the whole log when it is
// empty.
func (l *Log) scan(ctx context.Context, span events.Span, filter string) iter.Seq2[events.Envelope, error] {
	return decoded(l.messages(ctx, span, filter), func(string) bool { return true })
}

// decoded gives the events among stored messages of wanted subjects.
func decoded(messages iter.Seq2[stored, error], wanted func(subject string) bool) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for m, err := range messages {
			if err != nil {
				yield(events.Envelope{}, err)
				return
			}
			if !wanted(m.subject) {
				continue
			}
			e, foreign, err := decode(m.id, m.data, m.seq)
			if foreign {
				continue
			}
			if err != nil {
				yield(events.Envelope{}, fmt.Errorf("read seq %d: %w", m.seq, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}

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
func decode(id string, data []byte, seq uint64) (e events.Envelope, foreign bool, err error) {
	if id == "" {
		return e, true, nil
	}
	e, err = events.Decode(data, seq)
	return e, err == nil && e.ID != id, err
}

type stored struct {
	seq     uint64
	subject string
	id      string // message id
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
			if !yield(stored{seq: n, subject: m.Header.Get(nats.JSSubject), id: m.Header.Get(nats.MsgIdHdr), data: m.Data}, nil) {
				return
			}
		}
	}
}

// merge joins sequences that are each in order into one, each event once.
func merge(sources []iter.Seq2[events.Envelope, error]) iter.Seq2[events.Envelope, error] {
	if len(sources) == 1 {
		return sources[0]
	}
	return func(yield func(events.Envelope, error) bool) {
		type head struct {
			next func() (events.Envelope, error, bool)
			e    events.Envelope
		}
		var heads []*head
		for _, s := range sources {
			next, stop := iter.Pull2(s)
			defer stop()
			heads = append(heads, &head{next: next})
		}
		// advance moves a head on; false ends the merge.
		advance := func(h *head) (alive bool, err error) {
			e, err, ok := h.next()
			h.e = e
			return ok, err
		}
		live := heads[:0]
		for _, h := range heads {
			ok, err := advance(h)
			if err != nil {
				yield(events.Envelope{}, err)
				return
			}
			if ok {
				live = append(live, h)
			}
		}
		for len(live) > 0 {
			first := live[0]
			for _, h := range live[1:] {
				if h.e.Seq < first.e.Seq {
					first = h
				}
			}
			e := first.e
			if !yield(e, nil) {
				return
			}
			rest := live[:0]
			for _, h := range live {
				ok := true
				if h.e.Seq == e.Seq {
					var err error
					if ok, err = advance(h); err != nil {
						yield(events.Envelope{}, err)
						return
					}
				}
				if ok {
					rest = append(rest, h)
				}
			}
			live = rest
		}
	}
}
