package backfill

import (
	"context"

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

// outbox collects events and hands them over, many at once.
type outbox struct {
	send    Send // nil: nothing is handed over
	request wire.Request
	bytes   int
	spooled bool // some of it
}

// add hands events over with those that follow. The events of one request belong to one project.
func (o *outbox) add(ctx context.Context, root string, es ...events.Envelope) error {
	if o.send == nil {
		return nil
	}
	if root != o.request.Root {
		if err := o.flush(ctx); err != nil {
			return err
		}
	}
	r, err := client.NewRequest(es, root)
	if err != nil {
		return err
	}
	size := 0
	for _, e := range r.Events {
		size += len(e)
	}
	if len(o.request.Events)+len(r.Events) > maxEvents || o.bytes+size > maxBytes {
		if err := o.flush(ctx); err != nil {
			return err
		}
	}
	r.Events = append(o.request.Events, r.Events...)
	o.request, o.bytes = r, o.bytes+size
	return nil
}

// flush makes what was added durable.
func (o *outbox) flush(ctx context.Context) error {
	if len(o.request.Events) == 0 {
		return nil
	}
	receipt, err := o.send(ctx, o.request)
	if err != nil {
		return err
	}
	o.spooled = o.spooled || receipt.Spooled
	o.drop()
	return nil
}

// drop forgets what was added since the last flush.
func (o *outbox) drop() { o.request, o.bytes = wire.Request{}, 0 }
