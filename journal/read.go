package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"journal/events"
	"journal/journal/record"
)

// Events returns the stored events of a span that any of the selectors selects, or all without selectors, by sequence,
// each once, including echoes. It ends with the span, or with the log if that is shorter. An error ends the sequence, such as
// ErrHole if the whole log is read and a sequence is missing. Only events.ErrMalformed, for stored bytes that cannot be read,
// does not: its envelope has the sequence, project, session and type, and the next events follow. PastMalformed skips them.
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
		for e, err := range l.events(ctx, span, widest(sel)) {
			if l.noteMalformed != nil && errors.Is(err, events.ErrMalformed) {
				l.noteMalformed(err)
			} else if !yield(e, err) {
				return
			}
		}
	}
}

// events implements Events for selectors of which none covers another. It reads through Records as
// far as possible, and asks the server for the rest.
func (l *Log) events(ctx context.Context, span events.Span, sel []events.Selector) iter.Seq2[events.Envelope, error] {
	long := span.Until > span.After+maxGet
	if len(sel) == 0 {
		return decodedOf(ctx, long, func(ctx context.Context) iter.Seq2[record.Record, error] { return l.whole(ctx, span) })
	}
	if l.records == nil || len(sel) == 1 && selectsOneSubject(sel[0]) {
		return l.ask(ctx, span, sel)
	}
	return func(yield func(events.Envelope, error) bool) {
		filters := filtersOf(sel)
		var rest *remainder // set when the reading begins, complete when it ends
		found := decodedOf(ctx, long, func(ctx context.Context) (read iter.Seq2[record.Record, error]) {
			read, rest = l.read(ctx, span, filters)
			return read
		})
		for e, err := range found {
			if !yield(e, err) || ends(err) {
				return
			}
		}
		if rest.After < rest.Until {
			l.ask(ctx, rest.Span, sel)(yield)
		}
	}
}

// decodedOf returns the events among the messages of a source. It reads and decodes a long source ahead.
func decodedOf(ctx context.Context, long bool, source func(context.Context) iter.Seq2[record.Record, error]) iter.Seq2[events.Envelope, error] {
	if !long {
		return decoded(source(ctx))
	}
	return func(yield func(events.Envelope, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		readAhead(cancel, source(ctx))(yield)
	}
}

// selectsOneSubject reports whether a selector selects a single subject. The server finds the messages of one subject at
// once. For other selectors the server searches its store and blocks appends meanwhile: for seconds, with millions of
// events in thousands of sessions.
func selectsOneSubject(s events.Selector) bool {
	return s.Project != "" && s.Session != "" && s.Type != ""
}

// everything is a filter that matches every subject of the log. With it messages skips
// missing sequences, which it reports without a filter.
const everything = subjectRoot + ".>"

// ask returns the selected events from the server. With several filters it reads the whole span: a fold that moves
// forward reads a dozen types of a project, and one request for each would search the store's index, 1 to 2 ms in a
// long log, for the few new events.
func (l *Log) ask(ctx context.Context, span events.Span, sel []events.Selector) iter.Seq2[events.Envelope, error] {
	if filters := filtersOf(sel); len(filters) == 1 {
		return decoded(l.messages(ctx, span, filters[0]))
	}
	return decoded(func(yield func(record.Record, error) bool) {
		for r, err := range l.messages(ctx, span, everything) {
			selected := slices.ContainsFunc(sel, func(s events.Selector) bool { return selectsSubject(s, r.Subject) })
			if (err != nil || selected) && !yield(r, err) {
				return
			}
		}
	})
}

// decoded returns the events among stored messages. It ends with the first error that ends a sequence.
func decoded(messages iter.Seq2[record.Record, error]) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for m, err := range messages {
			if err != nil {
				yield(events.Envelope{}, err)
				return
			}
			e, foreign, err := decodeAt(m)
			if foreign {
				continue
			}
			if !yield(e, err) || ends(err) {
				return
			}
		}
	}
}

// ends reports whether an error ends a sequence of events.
func ends(err error) bool { return err != nil && !errors.Is(err, events.ErrMalformed) }

// decodeAt is Decode with an error that names the sequence. The envelope then has the sequence and what the subject names.
func decodeAt(r record.Record) (e events.Envelope, foreign bool, err error) {
	if e, foreign, err = Decode(r); err != nil {
		s, _ := subjectOf(r.Subject)
		e = events.Envelope{Meta: events.Meta{Seq: r.Seq, Project: s.Project, Session: s.Session, Type: s.Type}}
		err = fmt.Errorf("read seq %d: %w", r.Seq, err)
	}
	return e, foreign, err
}

const (
	aheadRecords = 256       // records at which a piece is full
	aheadBytes   = 256 << 10 // stored bytes at which a piece is full
	aheadPieces  = 4         // pieces that wait or are being decoded
)

// readAhead reads some pieces of a source ahead on a goroutine of its own, and decodes them on others, so
// that all processors share the work of a fold. cancel must end the source. readAhead calls it when the
// caller has stopped or the source has ended.
func readAhead(cancel func(), source iter.Seq2[record.Record, error]) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		pieces, stop, done := make(chan *piece, aheadPieces), make(chan struct{}), make(chan struct{})
		go func() {
			defer close(done)
			defer close(pieces)
			readPieces(source, func(p *piece) bool {
				select {
				case pieces <- p:
					go p.decode()
					return true
				case <-stop:
					return false
				}
			})
		}()
		defer func() {
			close(stop)
			cancel()
			<-done // the source must have stopped before the caller goes on
		}()
		for p := range pieces {
			<-p.decoded
			for _, e := range p.events {
				if !yield(e.Envelope, e.err) || ends(e.err) {
					return
				}
			}
			if p.err != nil {
				yield(events.Envelope{}, p.err)
				return
			}
		}
	}
}

// piece is a part of the log on its way from the reader to the consumer of its events.
type piece struct {
	records []record.Record
	events  []decodedEvent
	err     error         // error of the source, after the events of the piece
	decoded chan struct{} // closed when events is set
}

// decodedEvent is the result of decodeAt for a message that is an event.
type decodedEvent struct {
	events.Envelope
	err error
}

func newPiece() *piece {
	return &piece{records: make([]record.Record, 0, aheadRecords), decoded: make(chan struct{})}
}

// readPieces passes the records of a source in pieces to send, until send returns false. The last piece has the source's error.
func readPieces(source iter.Seq2[record.Record, error], send func(*piece) bool) {
	p, size := newPiece(), 0
	for r, err := range source {
		if err != nil {
			p.err = err
			break
		}
		p.records = append(p.records, r)
		size += len(r.Data)
		if len(p.records) == aheadRecords || size >= aheadBytes {
			if !send(p) {
				return
			}
			p, size = newPiece(), 0
		}
	}
	send(p)
}

// decode makes the events of a piece from its records.
func (p *piece) decode() {
	defer close(p.decoded)
	p.events = make([]decodedEvent, 0, len(p.records))
	for _, r := range p.records {
		if e, foreign, err := decodeAt(r); !foreign {
			p.events = append(p.events, decodedEvent{e, err})
		}
	}
	p.records = nil
}

// Follow returns the events after a sequence that any of the selectors selects, or all without selectors, as they come,
// until ctx or the connection ends.
func (l *Log) Follow(ctx context.Context, after uint64, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		if err := l.follow(ctx, after, sel, func(e events.Envelope) bool { return yield(e, nil) }); err != nil {
			yield(events.Envelope{}, fmt.Errorf("follow the log: %w", err))
		}
	}
}

// follow passes the events of Follow to visit, until visit returns false or ctx ends.
func (l *Log) follow(ctx context.Context, after uint64, sel []events.Selector, visit func(events.Envelope) bool) error {
	if l.contents != nil {
		return ErrOffline
	}
	c := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1}
	c.FilterSubjects = filtersOf(widest(sel))
	consumer, err := l.js.OrderedConsumer(ctx, l.stream, c)
	if err != nil {
		return err
	}
	messages, err := consumer.Messages()
	if err != nil {
		return err
	}
	defer context.AfterFunc(ctx, messages.Stop)()
	defer messages.Stop()
	for {
		m, err := messages.Next()
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		meta, err := m.Metadata()
		if err != nil {
			return err
		}
		e, foreign, err := Decode(record.Record{Seq: meta.Sequence.Stream, Subject: m.Subject(), ID: m.Headers().Get(record.IDHeader), Data: m.Data()})
		if err != nil {
			err = fmt.Errorf("seq %d: %w", meta.Sequence.Stream, err)
		}
		if l.noteMalformed != nil && errors.Is(err, events.ErrMalformed) {
			l.noteMalformed(err)
			continue
		}
		if err != nil {
			return err
		}
		if !foreign && !visit(e) {
			return nil
		}
	}
}

// widest returns the selectors without those that another selector covers: their events would be read twice, and the
// server refuses a consumer with overlapping filters.
func widest(sel []events.Selector) []events.Selector {
	var selectors []events.Selector
	for i, s := range sel {
		covered := slices.ContainsFunc(sel, func(other events.Selector) bool {
			return other != s && other.Match(events.Meta{Project: s.Project, Session: s.Session, Type: s.Type})
		})
		if !covered && slices.Index(sel, s) == i {
			selectors = append(selectors, s)
		}
	}
	return selectors
}
