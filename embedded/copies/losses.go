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
	case l.Records != l.Last-l.First+1 || l.Tail: // the sequences are not those of the lost records
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
