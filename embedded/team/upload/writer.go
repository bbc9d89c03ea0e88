package upload

import (
	"bytes"
	"context"
	"fmt"
	"iter"
	"strconv"

	"journal/embedded/team"
	"journal/embedded/team/chunk"
	"journal/events"
	"journal/journal/record"
)

// place is the end of a copy at the hub.
type place struct {
	seq  uint64 // of the hub's newest message of it, 0 for none
	hash []byte // of that
	last uint64 // newest number in it
}

// writer adds chunks to a copy at the hub, each under the condition that the hub's newest is the one before.
type writer struct {
	*session
	head   chunk.Head // common to all chunks
	source Source
	at     place
	done   uint64 // number up to which all that is shared is there
	share  team.Share
	begin  func() error // is called before the first chunk of a copy
}

// writerOf returns a writer that continues a copy of this device behind a place.
func (v *session) writerOf(number int, share team.Share, at place) *writer {
	return &writer{
		session: v, begin: func() error { return nil }, source: v.Source, share: share, at: at, done: at.last,
		head: chunk.Head{
			Team: v.Member.Team, Member: v.Member.Name, Device: v.Member.Device, Copy: number, All: share.All, Projects: share.Projects,
		},
	}
}

// next adds at most one chunk of what the source has up to a number.
func (w *writer) next(ctx context.Context, until uint64) error {
	until = min(until, w.at.last+chunk.MaxStretch)
	records, end, err := gather(w.source.Stored(ctx, events.Span{After: w.done, Until: until}), w.share, w.done)
	if err != nil {
		return err
	}
	if end == w.done {
		return fmt.Errorf("the log ends with #%d, not with #%d", end, until)
	}
	last := end
	if len(records) > 0 {
		last = records[len(records)-1].Seq
	}
	// Two chunks may be empty: the first one of a copy, because facts are erased with it, and one where nothing was shared for as
	// long as a chunk may be.
	if len(records) > 0 || w.at.seq == 0 || last == w.at.last+chunk.MaxStretch {
		err = w.put(ctx, last, records)
	}
	w.done = end
	return err
}

// put adds a chunk.
func (w *writer) put(ctx context.Context, last uint64, records []record.Record) error {
	h := w.head
	h.First, h.Last, h.Before = w.at.last+1, last, w.at.hash
	b, err := chunk.Encode(h, records, w.key)
	if err != nil {
		return err
	}
	if w.at.seq == 0 {
		if err := w.begin(); err != nil {
			return err
		}
	}
	seq, err := w.add(ctx, team.Put+h.Device+"."+strconv.Itoa(h.Copy), w.at.seq, b)
	if err != nil {
		return fmt.Errorf("give the hub #%d to #%d: %w", h.First, last, err)
	}
	w.at = place{seq, chunk.Hash(b), last}
	return nil
}

// gather returns what is shared of a stretch of a log, as much as one chunk takes, and the number up to which it looked.
func gather(stretch iter.Seq2[record.Record, error], share team.Share, after uint64) (records []record.Record, end uint64, err error) {
	end, size := after, 0
	for r, err := range stretch {
		if err != nil {
			return nil, 0, fmt.Errorf("read for the team: %w", err)
		}
		// What is not shared counts in no bound: a chunk and its comparison may begin before and behind it.
		if r = share.Derive(r); r.Subject == record.Withheld {
			end = r.Seq
			continue
		}
		if size += len(r.Data); len(records) == chunk.MaxRecords || len(records) > 0 && size > chunk.MaxBytes {
			break
		}
		end = r.Seq
		r.Data = bytes.Clone(r.Data)
		records = append(records, r)
	}
	return records, end, nil
}
