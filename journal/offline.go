package journal

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"journal/events"
	"journal/journal/record"
)

// ErrOffline is returned for operations that need the owner.
var ErrOffline = errors.New("nobody owns the log")

// Contents is an index of a log that has no server: the subject of each sequence. The zero
// value is an empty log. It takes 4 bytes per event, and holds each subject once.
type Contents struct {
	subjects []string
	indexes  map[string]uint32 // index of a subject in subjects
	bySeq    []uint32          // bySeq[seq-1] is the index of the sequence's subject
	lost     int               // number of sequences that no copy has
	bytes    uint64            // size of the data of all records
}

// Add adds the record of the next sequence. A record with nothing but a sequence means that no copy
// of the log has this sequence.
func (c *Contents) Add(r record.Record) {
	n, known := c.indexes[r.Subject]
	if !known {
		if c.indexes == nil {
			c.indexes = map[string]uint32{}
		}
		n = uint32(len(c.subjects))
		c.subjects, c.indexes[r.Subject] = append(c.subjects, r.Subject), n
	}
	c.bySeq = append(c.bySeq, n)
	c.bytes += uint64(len(r.Data))
	if r.Subject == "" {
		c.lost++
	}
}

// Offline returns a log without an owner, whose records r reads. Stream returns no name, and Follow returns ErrOffline. Append,
// Store and StoreBatch must not be called. All else works as with an owner.
func Offline(r Records, c *Contents) *Log { return &Log{records: r, contents: c} }

// stats returns the counts of the log.
func (c *Contents) stats() Stats {
	s := Stats{Events: uint64(len(c.bySeq) - c.lost), Last: uint64(len(c.bySeq)), Bytes: c.bytes, Deleted: c.lost}
	if s.Last > 0 {
		s.First = 1
	}
	return s
}

// selected reports, for each index of subjects, whether a selector selects the subject.
func (c *Contents) selected(sel events.Selector) []bool {
	all := make([]bool, len(c.subjects))
	for i, subj := range c.subjects {
		all[i] = selectsSubject(sel, subj)
	}
	return all
}

// counts returns the number of records of each subject that a selector selects.
func (c *Contents) counts(sel events.Selector) map[string]uint64 {
	selected, counts := c.selected(sel), map[string]uint64{}
	for _, n := range c.bySeq {
		if selected[n] {
			counts[c.subjects[n]]++
		}
	}
	return counts
}

// last returns the newest sequence that a selector selects, 0 for none.
func (c *Contents) last(sel events.Selector) uint64 {
	selected := c.selected(sel)
	for seq := len(c.bySeq); seq > 0; seq-- {
		if selected[c.bySeq[seq-1]] {
			return uint64(seq)
		}
	}
	return 0
}

// lastOffline returns the record of Last without a server.
func (l *Log) lastOffline(ctx context.Context, sel events.Selector) (record.Record, error) {
	seq := l.contents.last(sel)
	if seq == 0 {
		return record.Record{}, ErrNone
	}
	for r, err := range l.messages(ctx, events.Span{After: seq - 1, Until: seq}, "") {
		return r, err
	}
	return record.Record{}, ErrNone // PastHoles skipped the sequence
}

// messagesOffline implements messages without a server.
func (l *Log) messagesOffline(ctx context.Context, span events.Span, filter string) iter.Seq2[record.Record, error] {
	return func(yield func(record.Record, error) bool) {
		var filters []string
		if filter != "" {
			filters = []string{filter}
		}
		span.Until = min(span.Until, l.contents.stats().Last)
		messages, rest := l.read(ctx, span, filters)
		for r, err := range messages {
			if !yield(r, err) {
				return
			}
		}
		if rest.After < rest.Until {
			yield(record.Record{}, fmt.Errorf("read the log: %w: %d to %d: %w", ErrHole, rest.After+1, rest.Until, rest.err))
		}
	}
}
