package copies

import (
	"bytes"
	"cmp"
	"context"
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

// LossFold folds the events of a log about its own permanent losses.
type LossFold struct {
	fold     *projections.Fold
	subjects []string // of the events that the fold reads
	broken   error    // of the first unreadable event
}

// NewLossFold returns an empty fold.
func NewLossFold() *LossFold {
	l := &LossFold{fold: projections.NewFold(projections.Target{}, projections.Config{}, projections.Losses)}
	for _, r := range projections.Losses.Reads() {
		// These events belong to no session.
		l.subjects = append(l.subjects, journal.Subject(events.Meta{Project: events.None, Session: events.None, Type: r.Type}))
	}
	return l
}

// Take takes any record of the log, in order.
func (l *LossFold) Take(r record.Record) {
	if !slices.Contains(l.subjects, r.Subject) {
		return
	}
	r.Data = bytes.Clone(r.Data)
	e, foreign, err := journal.Decode(r)
	if err == nil && !foreign {
		err = l.fold.Apply(e)
	}
	l.broken = cmp.Or(l.broken, err)
}

// All lists what was lost.
func (l *LossFold) All() []projections.Loss {
	return slices.AppendSeq([]projections.Loss{}, projections.Losses.In(l.fold).All())
}

// Losses lists the permanent losses of the log in a directory up to a sequence. It reads the files, so no owner is needed.
// The error is blocks.ErrUnreadable if that is not possible.
func Losses(ctx context.Context, dir string, until uint64) ([]projections.Loss, error) {
	l := NewLossFold()
	s, ok, err := StreamOf(dir)
	if err != nil || !ok {
		return l.All(), err
	}
	err = embedded.Records(dir, s.Name).Read(ctx, 0, until, l.subjects, func(r record.Record) bool {
		l.Take(r)
		return l.broken == nil
	})
	return l.All(), cmp.Or(err, l.broken)
}

// Told describes a loss for people: what, when it was found, and why.
func Told(l projections.Loss) string {
	at := func(s projections.Stamp) string { return s.Time().Local().Format(time.DateTime) }
	is := Range{l.First, l.Last}
	switch {
	case l.From != 0 && l.Until != 0:
		return fmt.Sprintf("%s: %s could be kept nowhere from %s to %s: %s", is, text.Counted(l.Records, "event"), at(l.From), at(l.Until), l.Reason)
	case l.Records != l.Last-l.First+1 || l.Tail:
		return fmt.Sprintf("%s: %s before it, found lost at %s: %s", is, text.Counted(l.Records, "record"), at(l.At), l.Reason)
	}
	return fmt.Sprintf("%s, found lost at %s: %s", is, at(l.At), l.Reason)
}

// Unseen counts the lost records that no person has acknowledged.
func Unseen(all []projections.Loss) (records uint64) {
	for _, l := range all {
		if l.AcknowledgedBy == 0 {
			records += l.Records
		}
	}
	return records
}

// shownLosses is how many losses are described where there is no room for a list.
const shownLosses = 3

// ToldUnseen describes the first unacknowledged losses.
func ToldUnseen(all []projections.Loss) string {
	var told []string
	for _, l := range all {
		if l.AcknowledgedBy == 0 {
			told = append(told, Told(l))
		}
	}
	if more := len(told) - shownLosses; more > 0 {
		told = append(told[:shownLosses], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(told, "; ")
}

// Each missing record gets a mark: a million marks take 17 s and 280 MB. So a number read from a file must not decide alone
// how many are missing.
const (
	// mostHoles is how many records may be missing from both copies, unless the log is remembered to have been longer:
	// more than years of events.
	mostHoles = 10_000_000
	// A file from elsewhere may lack freeHoles records, and holesEach more for each record in it.
	freeHoles = 100_000
	holesEach = 10
)

// MayLack reports whether a log may lack so many records after so many that it holds.
func MayLack(holds, missing uint64) bool { return missing <= freeHoles+holesEach*holds }

// Range is a range of sequences, including both ends.
type Range struct {
	First uint64 `json:"first"`
	Last  uint64 `json:"last"`
}

// Ranges are ascending ranges with gaps between them.
type Ranges []Range

// RangesOf joins ranges in any order, which may overlap.
func RangesOf(all []Range) (r Ranges) {
	for _, x := range slices.SortedFunc(slices.Values(all), func(a, b Range) int { return cmp.Compare(a.First, b.First) }) {
		r.join(x)
	}
	return r
}

// shownRanges is how many ranges String names.
const shownRanges = 5

// String names the first ranges, for people.
func (r Ranges) String() string {
	var all []string
	for _, x := range r[:min(len(r), shownRanges)] {
		all = append(all, x.String())
	}
	if more := len(r) - shownRanges; more > 0 {
		all = append(all, text.Counted(more, "more place"))
	}
	return strings.Join(all, ", ")
}

// Add appends a sequence; it must not be below the others.
func (r *Ranges) Add(seq uint64) { r.join(Range{seq, seq}) }

// join appends a range; it must not begin below the others.
func (r *Ranges) join(x Range) {
	if n := len(*r); n > 0 && (*r)[n-1].Last+1 >= x.First {
		(*r)[n-1].Last = max((*r)[n-1].Last, x.Last)
		return
	}
	*r = append(*r, x)
}

// Meet reports whether a range overlaps one of these.
func (r Ranges) Meet(x Range) bool {
	i, _ := slices.BinarySearchFunc(r, x.First, func(one Range, seq uint64) int { return cmp.Compare(one.Last, seq) })
	return i < len(r) && r[i].First <= x.Last
}

// Count is the number of sequences.
func (r Ranges) Count() uint64 {
	n := uint64(0)
	for _, x := range r {
		n += x.Last - x.First + 1
	}
	return n
}

// String names the range as people read it: #4 or #4-#9.
func (r Range) String() string {
	if r.First == r.Last {
		return fmt.Sprintf("#%d", r.First)
	}
	return fmt.Sprintf("#%d-#%d", r.First, r.Last)
}
