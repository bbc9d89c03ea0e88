package backfill

import (
	"context"
	"errors"
	"fmt"

	"journal/events"
	"journal/journal/client"
	"journal/journal/wire"
)

// A request of an import is many reports. Both bounds keep it within what the server and the
// spool take (1 MiB), and within one batch of the log.
const (
	maxEvents = 500
	maxBytes  = 480 << 10
)

// Send makes a request durable. The error is client.ErrPaused while a person does not want the
// project recorded.
type Send func(ctx context.Context, r wire.Request) (client.Receipt, error)

// parcel is a request, and the work on the transcript that its events are from.
type parcel struct {
	request wire.Request
	of      *work
}

// outbox collects events and hands them over, many at once, while the next are collected. Requests
// go one after the other and in their order, so that what is durable is always a beginning of what
// was added: an import that ends in the middle goes on there.
type outbox struct {
	send  Send // nil: nothing is handed over
	next  parcel
	bytes int

	queue chan parcel
	ended chan struct{}
	// What follows belongs to whoever sends until ended is closed.
	spooled bool // some of it
	err     error
}

// newOutbox begins to send. ctx is that of every request.
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

// deliver makes one request durable.
func (o *outbox) deliver(ctx context.Context, p parcel) error {
	if p.of.paused {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err // else it would only wait in the spool
	}
	receipt, err := o.send(ctx, p.request)
	if errors.Is(err, client.ErrPaused) { // the person said so of this project
		p.of.paused = true
		return nil
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", p.of.file.path, err)
	}
	o.spooled = o.spooled || receipt.Spooled
	return nil
}

// errEnded is returned when nothing is sent any more; close gives the reason.
var errEnded = errors.New("what was added before could not be sent")

// add hands events over with those that follow. The events of one request belong to one project
// and to one transcript.
func (o *outbox) add(of *work, root string, es ...events.Envelope) error {
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
	if root != o.next.request.Root || len(o.next.request.Events)+len(r.Events) > maxEvents || o.bytes+size > maxBytes {
		if err := o.flush(); err != nil {
			return err
		}
	}
	r.Events = append(o.next.request.Events, r.Events...)
	o.next, o.bytes = parcel{r, of}, o.bytes+size
	return nil
}

// flush sends what was added. It waits for the request before the last one.
func (o *outbox) flush() error {
	if len(o.next.request.Events) == 0 {
		return nil
	}
	select {
	case o.queue <- o.next:
	case <-o.ended:
		return errEnded
	}
	o.next, o.bytes = parcel{}, 0
	return nil
}

// close waits until what was flushed is durable. Nothing may be added any more.
func (o *outbox) close() error {
	close(o.queue)
	<-o.ended
	return o.err
}
