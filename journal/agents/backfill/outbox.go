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

// Bounds of a request. A request has the events of many steps, because a batch of the log takes as much time as hundreds of events
// (docs/ENGINE.md §5). The bounds keep it within 1 MiB, the limit of server and spool, and within one batch. A batch has up to 1,000
// events, of which the owner may add one.
const (
	maxEvents = 999
	maxBytes  = 960 << 10
)

// Send makes a request durable. It returns client.ErrPaused if recording is paused in the project.
type Send func(ctx context.Context, r wire.Request) (client.Receipt, error)

// parcel holds the events of one request, grouped by transcript. All are of one project.
type parcel struct {
	root   string // the project's directory
	pieces []piece
	events int // number of events
	bytes  int // size of the events
}

// piece holds the events of one transcript in a parcel.
type piece struct {
	work   *work
	events []events.Raw
}

// put adds events of a transcript. size is their size in bytes.
func (p *parcel) put(w *work, all []events.Raw, size int) {
	if n := len(p.pieces); n == 0 || p.pieces[n-1].work != w {
		p.pieces = append(p.pieces, piece{work: w})
	}
	last := &p.pieces[len(p.pieces)-1]
	last.events = append(last.events, all...)
	p.events, p.bytes = p.events+len(all), p.bytes+size
}

// outbox collects events and sends them in requests, while further events are collected. Requests are sent in order, one at a time, so
// the durable events are always the first ones that were added: a repeated import continues after them.
type outbox struct {
	send Send // sends nothing if nil
	next parcel

	queue chan parcel
	ended chan struct{} // closed when the sending goroutine ends
	// Only the sending goroutine accesses the fields below until ended is closed.
	spooled bool  // a part of the events is in the spool
	err     error // the reason why sending ended
}

// newOutbox starts the sending goroutine. Every request uses ctx.
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

// deliver makes the events of one request durable. It leaves out transcripts whose recording is paused: no event may follow one that was
// refused.
func (o *outbox) deliver(ctx context.Context, p parcel) error {
	if err := ctx.Err(); err != nil {
		return err // otherwise send would put the request into the spool
	}
	p.pieces = slices.DeleteFunc(p.pieces, func(each piece) bool { return each.work.paused })
	if len(p.pieces) == 0 {
		return nil
	}
	r := wire.Request{Wire: wire.Version, Root: p.root}
	for _, piece := range p.pieces {
		r.Events = append(r.Events, piece.events...)
	}
	receipt, err := o.send(ctx, r)
	if errors.Is(err, client.ErrPaused) {
		for _, piece := range p.pieces {
			piece.work.paused = true
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("import %s: %w", p.pieces[0].work.file.Path, err)
	}
	o.spooled = o.spooled || receipt.Spooled
	return nil
}

// errEnded is returned by flush after sending has ended by an error. close returns that error.
var errEnded = errors.New("earlier events could not be sent")

// add adds events of a transcript. They are sent together with later ones, if these are of the same project. root is the project's
// directory.
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

// flush hands the collected events to the sending goroutine. It blocks while two earlier requests are not durable.
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

// close sends the collected events, and waits until all events are durable. Nothing may be added after it.
func (o *outbox) close() error {
	err := o.flush()
	close(o.queue)
	<-o.ended
	if o.err != nil {
		return o.err
	}
	return err
}
