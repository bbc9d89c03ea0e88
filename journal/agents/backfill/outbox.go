package backfill

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"journal/events"
	"journal/journal/wire"
	"journal/journal/wire/client"
)

// A request of an import combines many reports, of one transcript or of consecutive ones. Both bounds keep it within
// what the server and the spool accept (1 MiB), and within one batch of the log: that takes 1,000 events, of which the
// owner may add one. A batch costs the log as much as hundreds of its events (docs/ENGINE.md §5).
const (
	maxEvents = 999
	maxBytes  = 960 << 10
)

// Send makes a request durable. It returns client.ErrPaused if a person does not want the project recorded.
type Send func(ctx context.Context, r wire.Request) (client.Receipt, error)

// parcel becomes one request: events of one project, grouped by the work on their transcript.
type parcel struct {
	root   string
	parts  []part
	events int
	bytes  int
}

type part struct {
	of     *work
	events []events.Raw
}

// put adds the events of one step.
func (p *parcel) put(w *work, all []events.Raw, size int) {
	if n := len(p.parts); n == 0 || p.parts[n-1].of != w {
		p.parts = append(p.parts, part{of: w})
	}
	last := &p.parts[len(p.parts)-1]
	last.events = append(last.events, all...)
	p.events, p.bytes = p.events+len(all), p.bytes+size
}

// outbox collects events and sends many at once, while the next are collected. Requests are sent in order, one at a
// time, so the durable events are always a prefix of the added ones: a repeated import continues there.
type outbox struct {
	send Send // nil: nothing is sent
	next parcel

	queue chan parcel
	ended chan struct{}
	// The fields below belong to the sending goroutine until ended is closed.
	spooled bool // a part of the events was spooled
	err     error
}

// newOutbox starts sending. Every request uses ctx.
func newOutbox(ctx context.Context, send Send) *outbox {
	o := &outbox{send: send, queue: make(chan parcel, 1), ended: make(chan struct{})}
	go func() {
		defer close(o.ended)
		for p := range o.queue {
			if o.err = o.deliver(ctx, p); o.err != nil {
				return
			}
		}
	}()
	return o
}

// deliver makes one request durable, except for transcripts that were refused in part: nothing may follow a missing
// event.
func (o *outbox) deliver(ctx context.Context, p parcel) error {
	if err := ctx.Err(); err != nil {
		return err // otherwise it would only wait in the spool
	}
	p.parts = slices.DeleteFunc(p.parts, func(piece part) bool { return piece.of.paused })
	if len(p.parts) == 0 {
		return nil
	}
	r := wire.Request{Wire: wire.Version, Root: p.root}
	for _, piece := range p.parts {
		r.Events = append(r.Events, piece.events...)
	}
	receipt, err := o.send(ctx, r)
	if errors.Is(err, client.ErrPaused) { // the person paused this project
		for _, piece := range p.parts {
			piece.of.paused = true
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", p.parts[0].of.file.Path, err)
	}
	o.spooled = o.spooled || receipt.Spooled
	return nil
}

// errEnded is returned when sending has ended; close returns the reason.
var errEnded = errors.New("what was added before could not be sent")

// add sends events of a transcript, together with those that follow. The project is that at root.
func (o *outbox) add(w *work, root string, es ...events.Envelope) error {
	if o.send == nil {
		return nil
	}
	r, err := client.NewRequest(es, root)
	if err != nil {
		return err
	}
	size := 0
	for _, e := range r.Events {
		size += len(e)
	}
	if root != o.next.root || o.next.events+len(r.Events) > maxEvents || o.next.bytes+size > maxBytes {
		if err := o.flush(); err != nil {
			return err
		}
		o.next.root = root
	}
	o.next.put(w, r.Events, size)
	return nil
}

// flush sends what was added. It blocks until the request before the last one is durable.
func (o *outbox) flush() error {
	if o.next.events == 0 {
		return nil
	}
	select {
	case o.queue <- o.next:
	case <-o.ended:
		return errEnded
	}
	o.next = parcel{}
	return nil
}

// close waits until what was flushed is durable. Nothing may be added after it.
func (o *outbox) close() error {
	close(o.queue)
	<-o.ended
	return o.err
}
