package writer

import (
	"context"
	"fmt"

	"journal/embedded/owner/draft"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
)

// bulk is how many events make it worth an atomic batch of the log: one fsync instead
// of one for each, but a staging directory for it, which costs as much as 10 to 100
// single appends where a sync takes 0.05 to 0.5 ms. So reports of hooks that arrive
// together are stored one by one.
const bulk = 32

// Batch collects marked events until they are stored, in their order. What a mark
// depends on has to be in the log before, so that who repeats a report of the batch,
// or asks what the log holds, flushes it first. The caller holds the lock.
type Batch struct {
	*Writer
	drafts []*draft.Draft
	bytes  int
	keys   map[string]bool // of the reports in the batch
	ids    map[string]bool // of its events
}

// Batch makes an empty one.
func (w *Writer) Batch() *Batch { return &Batch{Writer: w} }

// AddAll takes events in their order. Those of one cause that follow each other are one
// report.
func (b *Batch) AddAll(ctx context.Context, all []*draft.Draft) error {
	for len(all) > 0 {
		n := reportLength(all)
		if err := b.add(ctx, all[:n]); err != nil {
			return err
		}
		all = all[n:]
	}
	return nil
}

// add takes the events of one report.
func (b *Batch) add(ctx context.Context, report []*draft.Draft) error {
	first := report[0].Meta
	original := b.lanes.original(first)
	if original != nil || b.keys[first.Key] {
		if err := b.Flush(ctx); err != nil {
			return err
		}
		original = b.lanes.original(first)
	}
	if first.Key != "" {
		if b.keys == nil {
			b.keys = map[string]bool{}
		}
		b.keys[first.Key] = true
	}
	for n, d := range report {
		if err := b.addOne(ctx, d, original, n); err != nil {
			return err
		}
	}
	return nil
}

// addOne takes the n-th event of a report, of which original is the one it repeats,
// nil for none.
func (b *Batch) addOne(ctx context.Context, d *draft.Draft, original *report, n int) error {
	if d.InLog {
		b.places.put(d.ID, d.Place)
		return nil
	}
	_, there := b.places.get(d.ID)
	there = there || b.ids[d.ID]
	if there || d.Type == events.TypeOf[events.FileObserved]() {
		if err := b.Flush(ctx); err != nil {
			return err
		}
	}
	if same, err := b.addsNothing(ctx, d); err != nil || same {
		return err
	}
	if err := b.mark(ctx, d, original, n); err != nil {
		return err
	}
	size := len(d.Record.Data)
	if len(b.drafts) == journal.MaxBatch || b.bytes+size > journal.MaxBatchBytes {
		if err := b.Flush(ctx); err != nil {
			return err
		}
	}
	b.drafts, b.bytes = append(b.drafts, d), b.bytes+size
	if b.ids == nil {
		b.ids = map[string]bool{}
	}
	b.ids[d.ID] = true
	if there {
		// Alone it keeps the place that it has; in a batch it would keep all from
		// being stored at once.
		return b.Flush(ctx)
	}
	return nil
}

// Flush stores what was added.
func (b *Batch) Flush(ctx context.Context) error {
	all := b.drafts
	b.drafts, b.bytes = nil, 0
	clear(b.keys)
	clear(b.ids)
	if len(all) == 0 {
		return nil
	}
	return b.answered(ctx, func(ctx context.Context) error {
		if len(all) >= bulk {
			if done, err := b.atOnce(ctx, all); err != nil || done {
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

// atOnce stores events in one batch of the log. Only the owner writes to the log, so
// that the places of a batch follow the head; where they do not, some of it was stored
// before, done is false, and each event is to be asked for its own place.
func (b *Batch) atOnce(ctx context.Context, all []*draft.Draft) (done bool, err error) {
	records := make([]record.Record, len(all))
	for i, d := range all {
		records[i] = d.Record
	}
	head := b.head
	last, err := b.Log.StoreBatch(ctx, records)
	if err == nil {
		err = b.Names.Sync()
	}
	if err != nil {
		return false, fmt.Errorf("store %d events: %w", len(all), err)
	}
	if last != head+uint64(len(all)) {
		return false, nil
	}
	for i, d := range all {
		b.note(d, head+uint64(i)+1, false)
	}
	return true, nil
}
