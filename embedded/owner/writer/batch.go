package writer

import (
	"context"
	"fmt"

	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// bulk is the least number of events that are stored as one atomic batch of the log. A batch needs one fsync instead of one for each event.
// But it also needs a staging directory, which costs as much as 10 to 100 single appends where an fsync takes 0.05 to 0.5 ms.
const bulk = 32

// Batch collects marked events and stores them together, in their order. The echo mark of an event depends on the events stored before it,
// so the batch is flushed before an event that may repeat another one in it. The caller of its methods holds the writer's lock.
type Batch struct {
	*Writer
	drafts []*Draft
	bytes  int
	keys   map[string]bool // occurrence keys of the reports in the batch
	ids    map[string]bool // ids of the events in the batch
}

// Batch returns an empty batch.
func (w *Writer) Batch() *Batch {
	return &Batch{Writer: w, keys: map[string]bool{}, ids: map[string]bool{}}
}

// AddAll adds events in their order. Consecutive events of one cause are one report.
func (b *Batch) AddAll(ctx context.Context, all []*Draft) error {
	for len(all) > 0 {
		n := reportLength(all)
		if err := b.add(ctx, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// add adds the events of one report.
func (b *Batch) add(ctx context.Context, report []*Draft) error {
	first := report[0].Meta
	original := b.lanes.original(first)
	if original != nil || b.keys[first.Key] { // the batch may have the repeated report, or one between it and this one
		if err := b.Flush(ctx); err != nil {
			return err
		}
		original = b.lanes.original(first)
	}
	if first.Key != "" {
		b.keys[first.Key] = true
	}
	for n, d := range report {
		if err := b.addOne(ctx, d, original, n); err != nil {
			return err
		}
	}
	return nil
}

// addOne adds the n-th event of a report, from 0. original is the report that this report repeats, nil for none.
func (b *Batch) addOne(ctx context.Context, d *Draft, original *report, n int) error {
	observed := d.Type == events.TypeOf[events.FileObserved]()
	comparesLog := observed || d.Type == events.TypeOf[events.ConversationRewound]() // see settleUnchanged and completeRewind
	if b.ids[d.ID] || comparesLog {
		if err := b.Flush(ctx); err != nil {
			return err
		}
	}
	// The server itself remembers ids only for a while. The cached sequence of an observation may be that of another event.
	if seq, cached := b.sequences.get(d.ID); cached && !observed && !d.InLog {
		d.Sequence, d.InLog = seq, true
	}
	if d.InLog {
		return b.note(ctx, d, d.Sequence, true)
	}
	if unchanged, err := b.settleUnchanged(ctx, d); err != nil || unchanged {
		return err
	}
	if err := b.mark(ctx, d, original, n); err != nil {
		return err
	}
	if cleared := b.falls.note(d.Envelope); cleared != nil { // before this event the context lost a part
		if err := b.push(ctx, cleared); err != nil {
			return err
		}
	}
	return b.push(ctx, d)
}

// push adds a marked event to the batch.
func (b *Batch) push(ctx context.Context, d *Draft) error {
	size := len(d.Record.Data)
	if len(b.drafts) == journal.MaxBatch || b.bytes+size > journal.MaxBatchBytes {
		if err := b.Flush(ctx); err != nil {
			return err
		}
	}
	b.drafts, b.bytes = append(b.drafts, d), b.bytes+size
	b.ids[d.ID] = true
	return nil
}

// Flush stores the added events.
func (b *Batch) Flush(ctx context.Context) error {
	all := b.drafts
	b.drafts, b.bytes = nil, 0
	clear(b.keys)
	clear(b.ids)
	if len(all) == 0 {
		return nil
	}
	return b.withHealthCheck(ctx, func(ctx context.Context) error {
		if len(all) >= bulk {
			if done, err := b.storeBatch(ctx, all); err != nil || done {
				return err
			}
		}
		for _, d := range all {
			if err := b.put(ctx, d); err != nil {
				return err
			}
		}
		return nil
	})
}

// storeBatch stores events in one atomic batch. Only the owner writes to the log, so the sequences of the events follow the head. If they
// do not, the log held some of the events before, or others that note has not recorded. Then done is false, and the caller stores each
// event by itself, which returns that event's sequence.
func (b *Batch) storeBatch(ctx context.Context, all []*Draft) (done bool, err error) {
	records := make([]record.Record, len(all))
	for i, d := range all {
		records[i] = d.Record
	}
	head := b.head
	last, err := b.Log.StoreBatch(ctx, records)
	if err != nil {
		return false, fmt.Errorf("store %d events: %w", len(all), err)
	}
	if err := b.Dirs.Sync(); err != nil {
		return false, fmt.Errorf("store %d events: %w", len(all), err)
	}
	if last != head+uint64(len(all)) {
		return false, nil
	}
	for i, d := range all {
		if err := b.note(ctx, d, head+uint64(i)+1, false); err != nil {
			return false, err
		}
	}
	return true, nil
}
