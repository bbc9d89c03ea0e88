package rebuild

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"journal/embedded"
	"journal/events"
	"journal/journal"
	"journal/journal/record"
	"journal/projections"
)

// losses folds what a log says of itself: what of it is lost for good.
type losses struct {
	fold     *projections.Fold
	subjects []string // of the events that it reads
	broken   error    // the first that could not be read
}

func newLosses() *losses {
	l := &losses{fold: projections.NewFold(projections.Target{}, projections.Config{}, projections.Losses)}
	for _, r := range projections.Losses.Reads() {
		// Nobody reports them out of a session.
		l.subjects = append(l.subjects, journal.Subject(events.Meta{Project: events.None, Session: events.None, Type: r.Type}))
	}
	return l
}

// take takes any record of the log, in order.
func (l *losses) take(r record.Record) {
	if !slices.Contains(l.subjects, r.Subject) {
		return
	}
	r.Data = bytes.Clone(r.Data)
	e, foreign, err := journal.Decode(r)
	if err == nil && !foreign {
		err = l.fold.Apply(e)
	}
	if l.broken == nil {
		l.broken = err
	}
}

// all lists what was lost.
func (l *losses) all() []projections.Loss {
	return slices.AppendSeq([]projections.Loss{}, projections.Losses.In(l.fold).All())
}

// Losses lists what the log in a directory lost for good up to a sequence, out of its files: nobody needs to own it. The
// error is blocks.ErrUnreadable where the files do not give it.
func Losses(ctx context.Context, dir string, until uint64) ([]projections.Loss, error) {
	l := newLosses()
	s, ok, err := streamOf(dir)
	if err != nil || !ok {
		return l.all(), err
	}
	err = embedded.Records(dir, s.Name).Read(ctx, 0, until, l.subjects, func(r record.Record) bool {
		l.take(r)
		return l.broken == nil
	})
	if err == nil {
		err = l.broken
	}
	return l.all(), err
}

// Told says for people what was lost, when that was found, and why.
func Told(l projections.Loss) string {
	at := func(s projections.Stamp) string { return s.Time().Local().Format(time.DateTime) }
	is := Range{l.First, l.Last}
	switch {
	case l.From != nil && l.Until != nil:
		return fmt.Sprintf("%s: %d events could be kept nowhere from %s to %s: %s", is, l.Records, at(*l.From), at(*l.Until), l.Reason)
	case l.Records != l.Last-l.First+1 || l.Tail:
		return fmt.Sprintf("%s: %d records before it, found lost at %s: %s", is, l.Records, at(l.At), l.Reason)
	}
	return fmt.Sprintf("%s, found lost at %s: %s", is, at(l.At), l.Reason)
}

// Unseen says how many records are lost that no person has acknowledged.
func Unseen(all []projections.Loss) (records uint64) {
	for _, l := range all {
		if l.AcknowledgedBy == 0 {
			records += l.Records
		}
	}
	return records
}

// shownLosses is how many losses are told where there is no room for a list.
const shownLosses = 3

// ToldUnseen is Told of the first that no person has acknowledged.
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
