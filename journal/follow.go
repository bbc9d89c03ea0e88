package journal

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"journal/events"
	"journal/journal/record"
)

// Follow gives the stored events after a sequence that any of the selectors selects, or all of them without selectors,
// as they come, until ctx ends or the connection does.
func (l *Log) Follow(ctx context.Context, after uint64, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		if l.contents != nil {
			yield(events.Envelope{}, fmt.Errorf("follow the log: %w", ErrOffline))
			return
		}
		c := jetstream.OrderedConsumerConfig{DeliverPolicy: jetstream.DeliverByStartSequencePolicy, OptStartSeq: after + 1}
		c.FilterSubjects = subjects(widest(sel))
		consumer, err := l.js.OrderedConsumer(ctx, l.stream, c)
		if err != nil {
			yield(events.Envelope{}, fmt.Errorf("follow the log: %w", err))
			return
		}
		messages, err := consumer.Messages()
		if err != nil {
			yield(events.Envelope{}, fmt.Errorf("follow the log: %w", err))
			return
		}
		defer context.AfterFunc(ctx, messages.Stop)()
		defer messages.Stop()
		for {
			m, err := messages.Next()
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(events.Envelope{}, fmt.Errorf("follow the log: %w", err))
				return
			}
			meta, err := m.Metadata()
			if err != nil {
				yield(events.Envelope{}, fmt.Errorf("follow the log: %w", err))
				return
			}
			e, foreign, err := Decode(record.Record{Seq: meta.Sequence.Stream, Subject: m.Subject(), ID: m.Headers().Get(record.IDHeader), Data: m.Data()})
			if foreign {
				continue
			}
			if err != nil {
				err = fmt.Errorf("follow the log: seq %d: %w", meta.Sequence.Stream, err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// widest leaves out selectors that another one covers: reading them twice is wasted, and the server refuses a consumer
// whose filters lie within one another.
func widest(sel []events.Selector) []events.Selector {
	var kept []events.Selector
	for i, s := range sel {
		covered := func(by events.Selector) bool {
			return by.Match(events.Meta{Project: s.Project, Session: s.Session, Type: s.Type})
		}
		twin := slices.Index(sel, s) < i
		wider := slices.ContainsFunc(sel, func(by events.Selector) bool { return by != s && covered(by) })
		if !twin && !wider {
			kept = append(kept, s)
		}
	}
	return kept
}
