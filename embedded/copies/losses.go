package copies

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"journal/embedded"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/record"
	"journal/projections"
)

// LossFold collects the permanent losses of a log. It reads the events about them.
type LossFold struct {
	fold     *projections.Fold
	subjects []string // of the events that the fold reads
	err      error    // of the first unreadable event
}

// NewLossFold returns an empty fold.
func NewLossFold() *LossFold {
	l := &LossFold{fold: projections.NewFold(projections.Target{}, projections.Config{}, projections.Losses)}
	for _, r := range projections.Losses.Reads() {
		// Events about losses belong to no session.
		l.subjects = append(l.subjects, journal.Subject(events.Meta{Project: events.None, Session: events.None, Type: r.Type}))
	}
	return l
}

// Add applies a record of the log, which may be of any kind. Records come in order. After an unreadable event it continues with the next
// one.
func (l *LossFold) Add(r record.Record) {
	err := l.apply(r)
	if l.err != nil {
		return
	}
	l.err = err
}

func (l *LossFold) apply(r record.Record) error {
	if !slices.Contains(l.subjects, r.Subject) {
		return nil
	}
	r.Data = bytes.Clone(r.Data)
	e, foreign, err := journal.Decode(r)
	if err != nil || foreign {
		return err
	}
	l.fold.Apply(e)
	_, err = events.Open(e)
	return err
}

// All returns the losses.
func (l *LossFold) All() []projections.Loss {
	return slices.AppendSeq([]projections.Loss{}, projections.Losses.In(l.fold).All())
}

// Losses returns the permanent losses of the log in a directory up to a sequence. It reads the files, so no owner is needed. The error is
// blocks.ErrUnreadable if the files cannot be read, that of the archive or of ctx, or that of an unreadable event. Then the losses up to
// the error are returned.
func Losses(ctx context.Context, dir string, until uint64) ([]projections.Loss, error) {
	l := NewLossFold()
	s, ok, err := StreamOf(dir)
	if err != nil || !ok {
		return l.All(), err
	}
	err = embedded.Records(dir, s.Name).Read(ctx, 0, until, l.subjects, func(r record.Record) bool {
		l.Add(r)
		return l.err == nil
	})
	return l.All(), errors.Join(err, l.err)
}

// Foreign returns the number of messages of the log in a directory that are no events, up to a sequence, and the sequence of the first one.
// cached returns both as a cache has them, and the sequence up to which the cache is valid. Foreign reads the files after that sequence, so
// no owner is needed.
func Foreign(ctx context.Context, dir string, until uint64, cached func(dir, stream string) (n, first, after uint64)) (n, first uint64, err error) {
	s, ok, err := StreamOf(dir)
	if err != nil || !ok {
		return 0, 0, err
	}
	n, first, after := cached(dir, s.Name)
	if after >= until {
		return n, first, nil
	}
	err = embedded.Records(dir, s.Name).Read(ctx, after, until, nil, func(r record.Record) bool {
		if r.IsForeign() {
			n++
			first = cmp.Or(first, r.Seq)
		}
		return true
	})
	return n, first, err
}

// Describe describes a loss for people: the records, when they were lost or missed, and the reason.
func Describe(l projections.Loss) string {
	date := func(s projections.Stamp) string { return s.Time().Local().Format(time.DateTime) }
	seqs := Range{l.First, l.Last}
	switch {
	case l.From != 0 && l.Until != 0:
		return fmt.Sprintf("%s: %s could be kept nowhere from %s to %s: %s", seqs, text.Counted(l.Records, "event"), date(l.From), date(l.Until), l.Reason)
	case l.Records != l.Last-l.First+1 || l.Tail:
		return fmt.Sprintf("%s lost just before %s, found at %s: %s", text.Counted(l.Records, "record"), seqs, date(l.At), l.Reason)
	}
	return fmt.Sprintf("%s, found lost at %s: %s", seqs, date(l.At), l.Reason)
}

// Unacknowledged returns the number of lost records that no person has acknowledged.
func Unacknowledged(all []projections.Loss) (records uint64) {
	for _, l := range all {
		if l.AcknowledgedBy == 0 {
			records += l.Records
		}
	}
	return records
}

// shownLosses is the number of losses that DescribeUnacknowledged describes.
const shownLosses = 3

// DescribeUnacknowledged describes the first unacknowledged losses.
func DescribeUnacknowledged(all []projections.Loss) string {
	var lines []string
	for _, l := range all {
		if l.AcknowledgedBy == 0 {
			lines = append(lines, Describe(l))
		}
	}
	if more := len(lines) - shownLosses; more > 0 {
		lines = append(lines[:shownLosses], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "; ")
}

// Bounds of the number of missing records. A rebuild writes an event for each missing record, and a million of these events take 17 s and
// 280 MB. So one number in a file must not decide how many records are missing.
const (
	// maxHoles is the number of records that may be missing from both copies. It is more than the events of years. More may be missing only
	// if the head file has a greater sequence.
	maxHoles = 10_000_000
	// freeHoles is the number of records that any file from another machine may lack. holesEach is the number of further records that it
	// may lack for each record that it has.
	freeHoles = 100_000
	holesEach = 10
)

// MayLack reports whether a file from another machine that holds some records may lack a number of others.
func MayLack(holds, missing uint64) bool { return missing <= freeHoles+holesEach*holds }

// Range is a range of sequences, including both ends.
type Range struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Ranges is a list of ascending ranges. Between two neighbours at least one sequence is missing.
type Ranges []Range

// RangesOf returns the union of ranges, which may overlap and be in any order.
func RangesOf(all []Range) (r Ranges) {
	for _, x := range slices.SortedFunc(slices.Values(all), func(a, b Range) int { return cmp.Compare(a.First, b.First) }) {
		r.join(x)
	}
	return r
}

// shownRanges is the number of ranges in the result of Ranges.String.
const shownRanges = 5

// String returns the first ranges and the number of the others, for people.
func (r Ranges) String() string {
	var all []string
	for _, x := range r[:min(len(r), shownRanges)] {
		all = append(all, x.String())
	}
	if more := len(r) - shownRanges; more > 0 {
		all = append(all, text.Counted(more, "more range"))
	}
	return strings.Join(all, ", ")
}

// Add adds a sequence, which must not be below the others.
func (r *Ranges) Add(seq uint64) { r.join(Range{seq, seq}) }

// join adds a range, which must not begin below the others.
func (r *Ranges) join(x Range) {
	if n := len(*r); n > 0 && (*r)[n-1].Last+1 >= x.First {
		(*r)[n-1].Last = max((*r)[n-1].Last, x.Last)
		return
	}
	*r = append(*r, x)
}

// Overlap reports whether a range overlaps one of the list.
func (r Ranges) Overlap(x Range) bool {
	i, _ := slices.BinarySearchFunc(r, x.First, func(y Range, seq uint64) int { return cmp.Compare(y.Last, seq) })
	return i < len(r) && r[i].First <= x.Last
}

// Count returns the number of sequences.
func (r Ranges) Count() uint64 {
	n := uint64(0)
	for _, x := range r {
		n += x.Last - x.First + 1
	}
	return n
}

// String returns the range for people: #4 or #4-#9.
func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprintf("#%d", r.First)
	}
	return fmt.Sprintf("#%d-#%d", r.First, r.Last)
}
