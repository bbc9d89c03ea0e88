package main

import (
	"context"
	"time"

	"journal/events"
	"journal/journal/client"
	"journal/journal/wire"
)

// A request of an import is many reports. Both bounds keep it within what the
// server and the spool take (1 MiB), and within one batch of the log.
const (
	importEvents = 500
	importBytes  = 480 << 10
	importWait   = 30 * time.Second // for the fsync of a whole batch
)

// sender hands the events of an import over, many at once.
type sender struct {
	to      *client.Appender
	dry     bool
	request wire.Request
	bytes   int
	spooled bool
}

// add hands events over with those that follow. The events of one request belong
// to one project.
func (s *sender) add(ctx context.Context, root string, es ...events.Envelope) error {
	if s.dry {
		return nil
	}
	if root != s.request.Root {
		if err := s.flush(ctx); err != nil {
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
	if len(s.request.Events)+len(r.Events) > importEvents || s.bytes+size > importBytes {
		if err := s.flush(ctx); err != nil {
			return err
		}
	}
	r.Events = append(s.request.Events, r.Events...)
	s.request, s.bytes = r, s.bytes+size
	return nil
}

// flush makes what was added durable.
func (s *sender) flush(ctx context.Context) error {
	if len(s.request.Events) == 0 {
		return nil
	}
	receipt, err := s.to.Send(ctx, s.request, importWait)
	if err != nil {
		return notRecorded(err)
	}
	s.spooled = s.spooled || receipt.Spooled
	s.drop()
	return nil
}

// drop forgets what was added since the last flush.
func (s *sender) drop() { s.request, s.bytes = wire.Request{}, 0 }
