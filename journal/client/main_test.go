package client_test

import (
	"iter"
	"testing"
	"time"

	"journal/embedded"
	"journal/embedded/owner/ownertest"
	"journal/events"
)

// newServer is a server on dir without anybody who answers appenders.
func newServer(t testing.TB, dir string) *embedded.Server {
	t.Helper()
	s, err := embedded.Own(t.Context(), ownertest.Lock(t, dir), embedded.Options{Grace: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// wrap makes the envelope of an event.
func wrap(t testing.TB, ev events.Event, m events.Meta) events.Envelope {
	t.Helper()
	e, err := events.Wrap(ev, m)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// all reads a sequence of events to its end.
func all(seq iter.Seq2[events.Envelope, error]) ([]events.Envelope, error) {
	var got []events.Envelope
	for e, err := range seq {
		if err != nil {
			return got, err
		}
		got = append(got, e)
	}
	return got, nil
}
