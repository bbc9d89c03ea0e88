package ui

import (
	"context"
	"iter"
	"sync"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/projections"
)

// Log is the log as the pages read it: the one of this machine, or any other with these methods.
type Log = cli.FollowedLog

// reader is a Log that opens the log again after it was lost, as when its owner left. Reads that run at that time fail.
type reader struct {
	open        func(context.Context) (Log, func(), error)
	lost        func(error) bool // reports whether an error means that the log must be opened again
	onNewStream func()           // called when the opened log has another stream than the one before: caches may be wrong

	mu      sync.Mutex
	log     Log    // nil: not open
	release func() // closes log, if it is open
	stream  string // name of the stream of the log that was opened last
}

// connect returns the log, and opens it if it is not open.
func (r *reader) connect(ctx context.Context) (Log, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log != nil {
		return r.log, nil
	}
	log, end, err := r.open(ctx)
	if err != nil {
		return nil, err
	}
	if r.stream != "" && r.stream != log.Stream() {
		r.onNewStream()
	}
	r.log, r.release, r.stream = log, end, log.Stream()
	return log, nil
}

// close closes the log if it is open.
func (r *reader) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.log != nil {
		r.release()
		r.log = nil
	}
}

// checked returns the error of a log. If the error means that the log is lost, it closes the log, unless another was opened meanwhile.
// The request is then served again (answered).
func (r *reader) checked(log Log, err error) error {
	if err != nil && r.lost(err) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.log == log {
			r.release()
			r.log = nil
		}
	}
	return err
}

// Stream returns the stream of the log that was opened last; empty before the first was opened.
func (r *reader) Stream() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stream
}

// Stats returns the statistics of the open log.
func (r *reader) Stats(ctx context.Context) (journal.Stats, error) {
	log, err := r.connect(ctx)
	if err != nil {
		return journal.Stats{}, err
	}
	stats, err := log.Stats(ctx)
	return stats, r.checked(log, err)
}

// Events yields events of the open log.
func (r *reader) Events(ctx context.Context, span events.Span, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return read(ctx, r, func(log Log) iter.Seq2[events.Envelope, error] { return log.Events(ctx, span, sel...) })
}

// Messages yields records of the open log.
func (r *reader) Messages(ctx context.Context, span events.Span) iter.Seq2[record.Record, error] {
	return read(ctx, r, func(log Log) iter.Seq2[record.Record, error] { return log.Messages(ctx, span) })
}

// Follow yields events of the open log, also those that are appended later.
func (r *reader) Follow(ctx context.Context, after uint64, sel ...events.Selector) iter.Seq2[events.Envelope, error] {
	return read(ctx, r, func(log Log) iter.Seq2[events.Envelope, error] { return log.Follow(ctx, after, sel...) })
}

// event returns the event of a session with a number. found is false if the session has no such event.
func (r *reader) event(ctx context.Context, t projections.Target, seq uint64) (e events.Envelope, found bool, err error) {
	for e, err := range r.Events(ctx, events.Span{After: seq - 1, Until: seq}, events.Selector{Project: t.Project, Session: t.Session}) {
		return e, err == nil, err
	}
	return e, false, nil
}

// read yields what from yields for the open log, or the error of opening it.
func read[T any](ctx context.Context, r *reader, from func(Log) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		log, err := r.connect(ctx)
		if err != nil {
			yield(none, err)
			return
		}
		for v, err := range from(log) {
			if !yield(v, r.checked(log, err)) {
				return
			}
		}
	}
}
