package owner

import (
	"context"
	"fmt"

	"journal/events"
	"journal/journal"
)

// bulk is how many events of one request make it worth a batch of the log: one
// fsync instead of one for each (JETSTREAM 1.2). Reports of hooks are smaller.
const bulk = 32

// storeBulk appends the reports of a request in batches, with the marks and places
// that they would get one by one. What a mark depends on has to be in the log
// before, so a report that may repeat another begins a batch. The caller holds
// appending.
func (o *Owner) storeBulk(ctx context.Context, all []events.Envelope, known []uint64) ([]uint64, error) {
	b := bulkBatch{owner: o, seqs: make([]uint64, len(all)), keys: map[string]bool{}}
	for from, to := 0, 0; from < len(all); from = to {
		to = endOfReport(all, from)
		first := all[from].Meta
		original := o.lanes.original(first)
		if b.keys[first.Key] || original != nil {
			if err := b.flush(ctx); err != nil {
				return nil, err
			}
			original = o.lanes.original(first)
		}
		if first.Key != "" {
			b.keys[first.Key] = true
		}
		for i := from; i < to; i++ {
			if known != nil && known[i] != 0 {
				o.placed.put(all[i].ID, known[i])
				b.seqs[i] = known[i]
				continue
			}
			if err := b.add(ctx, all[i], i, original, i-from); err != nil {
				return nil, err
			}
		}
	}
	return b.seqs, b.flush(ctx)
}

// bulkBatch collects events that are stored at once.
type bulkBatch struct {
	owner    *Owner
	seqs     []uint64 // of all events of the request
	at       []int    // where in the request those of the batch are
	events   []events.Envelope
	messages []journal.Message
	bytes    int
	keys     map[string]bool // of the reports in the batch
}

func (b *bulkBatch) add(ctx context.Context, e events.Envelope, at int, original *report, n int) error {
	o := b.owner
	// An observation is compared with the newest one, and an event that is there
	// keeps its place.
	_, placed := o.placed.get(e.ID)
	if placed || e.Type == events.TypeOf[events.FileObserved]() {
		if err := b.flush(ctx); err != nil {
			return err
		}
		seq, err := o.storeMarked(ctx, e, original, n)
		b.seqs[at] = seq
		return err
	}
	e, err := o.marked(ctx, e, original, n)
	if err != nil {
		return err
	}
	data, err := events.Encode(e)
	if err != nil {
		return err
	}
	if len(b.events) == journal.MaxBatch || b.bytes+len(data) > journal.MaxBatchBytes {
		if err := b.flush(ctx); err != nil {
			return err
		}
	}
	b.at, b.events, b.bytes = append(b.at, at), append(b.events, e), b.bytes+len(data)
	b.messages = append(b.messages, journal.Message{Subject: journal.Subject(e.Meta), ID: e.ID, Data: data})
	return nil
}

// flush stores what was added. Only the owner writes to the log, so that the places
// of a batch follow the head; where they do not, some of it was stored before, and
// each event is asked for its own place.
func (b *bulkBatch) flush(ctx context.Context) error {
	o := b.owner
	if len(b.messages) == 0 {
		return nil
	}
	head := o.head
	last, err := o.log.StoreBatch(ctx, b.messages)
	if err != nil {
		return fmt.Errorf("store %d events: %w", len(b.messages), err)
	}
	for i, e := range b.events {
		seq := head + uint64(i) + 1
		if last == head+uint64(len(b.events)) {
			o.stored(e, seq, false)
		} else if seq, err = o.storeOne(ctx, e); err != nil {
			return err
		}
		b.seqs[b.at[i]] = seq
	}
	b.at, b.events, b.messages, b.bytes = nil, nil, nil, 0
	clear(b.keys)
	return nil
}
