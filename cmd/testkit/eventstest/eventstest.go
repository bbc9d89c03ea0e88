// Package eventstest makes and reads events for the tests of other packages.
package eventstest

import (
	"iter"

	"journal/events"
)

// TB is the part of testing.TB that this package needs. rapid.T implements it, too.
type TB interface {
	Helper()
	Fatal(args ...any)
}

// Wrap returns the envelope of an event with the metadata m, including its sequence.
func Wrap(tb TB, ev events.Event, m events.Meta) events.Envelope {
	tb.Helper()
	e, err := events.Wrap(ev, m)
	if err != nil {
		tb.Fatal(err)
	}
	e.Seq = m.Seq
	return e
}

// All returns the events of an iterator, up to its end or its first error.
func All(seq iter.Seq2[events.Envelope, error]) ([]events.Envelope, error) {
	var got []events.Envelope
	for e, err := range seq {
		if err != nil {
			return got, err
		}
		got = append(got, e)
	}
	return got, nil
}
