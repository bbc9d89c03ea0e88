package ui

import (
	"context"
	"iter"
	"sync"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// Log is the log as the pages read it: the one of this machine, or any other with these methods.
type Log = cli.FollowedLog

// reader is a Log that connects to the next owner when the present one has left.
type reader struct {
	open    func(context.Context) (Log, func(), error)
	lost    func(error) bool
	renewed func() // called when caches of the log may be wrong

	mu     sync.Mutex
	now    Log
	end    func()
	stream string
}

// reach returns the log, and opens it if it is not open.
func (r *reader) reach(ctx context.Context) (Log, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now != nil {
		return r.now, nil
	}
	log, end, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	if r.stream != "" && r.stream != log.Stream() {
		r.renewed()
	}
	r.now, r.end, r.stream = log, end, log.Stream()
	return log, nil
}

// drop closes a log that broke.
func (r *reader) drop(broken Log) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.now == broken && broken != nil {
		r.end()
		r.now, r.end = nil, nil
	}
}

func (r *reader) close() {
	r.mu.Lock()
	now := r.now
	r.mu.Unlock()
	r.drop(now)
}

// asked asks the log, and once more if the owner left meanwhile.
func asked[T any](ctx context.Context, r *reader, ask func(Log) (T, error)) (v T, err error) {
	for range 2 {
		var log Log
		if log, err = r.reach(ctx); err != nil {
			return v, err
		}
		if v, err = ask(log); err == nil || !r.lost(err) {
			return v, err
		}
		r.drop(log)
	}
	return v, err
}

func (r *reader) Stream() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream
}

func (r *reader) Stats(ctx context.Context) (journal.Stats, error) {
	return asked(ctx, r, func(l Log) (journal.Stats, error) { return l.Stats(ctx) })
}

// Events continues after the event at which an owner left.
func (r *reader) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return goOn(ctx, r, func(l Log, after uint64) iter.Seq2[events.Envelope, error] {
		return l.Events(ctx, events.Span{After: after, Until: span.Until}, sel...)
	}, span.After, func(e events.Envelope) uint64 { return e.Seq })
}

// Messages continues after the message at which an owner left.
func (r *reader) Messages(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return goOn(ctx, r, func(l Log, after uint64) iter.Seq2[record.Record, error] {
		return l.Messages(ctx, events.Span{After: after, Until: span.Until})
	}, span.After, func(m record.Record) uint64 { return m.Seq })
}

// goOn reads the log after a sequence. If the owner leaves, it continues once with the next owner.
func goOn[T any](ctx context.Context, r *reader, read func(l Log, after uint64) iter.Seq2[T, error], after uint64, seq func(T) uint64) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		for again := true; ; again = false {
			log, err := r.reach(ctx)
			if err != nil {
				yield(none, err)
				return
			}
			err = nil
			for v, failed := range read(log, after) {
				if failed != nil {
					err = failed
					break
				}
				if !yield(v, nil) {
					return
				}
				after = seq(v)
			}
			if err == nil {
				return
			}
			if !again || !r.lost(err) {
				yield(none, err)
				return
			}
			r.drop(log)
		}
	}
}

// Follow ends when the owner leaves.
func (r *reader) Follow(ctx context.Context, after uint64, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		log, err := r.reach(ctx)
		if err != nil {
			yield(events.Envelope{}, err)
			return
		}
		for e, err := range log.Follow(ctx, after, sel...) {
			if err != nil && r.lost(err) {
				r.drop(log)
			}
			if !yield(e, err) {
				return
			}
		}
	}
}
