package journal

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"journal/events"
	"journal/journal/record"
)

// Events gives the stored events of a span that any of the selectors selects, in order of their sequence, each once;
// without selectors all events are given. Echoes are given too. It ends where the span does, or the log when that is
// shorter. An error ends the sequence: ErrHole when the whole log is read and a sequence is missing,
// events.ErrMalformed for stored bytes that cannot be read.
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
		found := l.events(ctx, span, widest(sel))
		if span.Until > span.After+batch {
			found = ahead(cancel, found)
		}
		found(yield)
	}
}

// events reads a span from the stored records where they can be read, and asks the
// server for the rest.
func (l *Log) events(ctx context.Context, span events.Span, sel []events.Selector) iter.Seq2[events.Envelope, error] {
	if len(sel) == 0 {
		return decoded(l.whole(ctx, span), everySubject)
	}
	if l.records == nil || len(sel) == 1 && one(sel[0]) {
		return l.ask(ctx, span, sel)
	}
	return func(yield func(events.Envelope, error) bool) {
		filters := make([]string, len(sel))
		for i, s := range sel {
			filters[i] = subject(s)
		}
		read, rest := l.read(ctx, span, filters)
		for e, err := range decoded(read, everySubject) {
			if !yield(e, err) || err != nil {
				return
			}
		}
		if rest.After < rest.Until {
			l.ask(ctx, *rest, sel)(yield)
		}
	}
}

// one says whether a selector selects a single subject. That the server finds at once. For the others it looks through
// its store, and nothing is appended meanwhile: seconds, at millions of events of thousands of sessions.
func one(s events.Selector) bool { return s.Project != "" && s.Session != "" && s.Type != "" }

// ask reads what selectors name from the server.
func (l *Log) ask(ctx context.Context, span events.Span, sel []events.Selector) iter.Seq2[events.Envelope, error] {
	if len(sel) > 1 && span.Until < span.After+batch {
		return l.pick(ctx, span, sel)
	}
	var sources []iter.Seq2[events.Envelope, error]
	for _, s := range sel {
		sources = append(sources, l.scan(ctx, span, subject(s)))
	}
	return merge(sources)
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

// scan reads the events of one subject filter.
func (l *Log) scan(ctx context.Context, span events.Span, filter string) iter.Seq2[events.Envelope, error] {
	return decoded(l.messages(ctx, span, filter), everySubject)
}

func everySubject(string) bool { return true }

// decoded gives the events among stored messages of wanted subjects.
func decoded(messages iter.Seq2[record.Record, error], wanted func(subject string) bool) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for m, err := range messages {
			if err != nil {
				yield(events.Envelope{}, err)
				return
			}
			if !wanted(m.Subject) {
				continue
			}
			e, foreign, err := decode(m)
			if foreign {
				continue
			}
			if err != nil {
				yield(events.Envelope{}, fmt.Errorf("read seq %d: %w", m.Seq, err))
				return
			}
			if !yield(e, nil) {
				return
			}
		}
	}
}
