package recovery_test

import (
	"bytes"
	"context"
	"encoding/json"
	"reflect"
	"testing"
	"time"

	"pgregory.net/rapid"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

var target = projections.Target{Project: "p", Session: "s"}

// logOf returns a log of events of the target, ten seconds apart.
func logOf(tb rapid.TB, all ...events.Event) replay.Slice {
	tb.Helper()
	var log replay.Slice
	for i, e := range all {
		log = append(log, eventstest.Wrap(tb, e, events.Meta{
			Project: target.Project, Session: target.Session, Seq: uint64(i + 1), At: int64(i) * int64(10*time.Second),
		}))
	}
	return log
}

// recoverFrom derives a recovery from events of the target.
func recoverFrom(tb rapid.TB, all ...events.Event) recovery.Recovery {
	tb.Helper()
	r, err := recovery.Replayed(context.Background(), logOf(tb, all...), target, projections.Config{}, 0)
	if err != nil {
		tb.Fatal(err)
	}
	return r
}

// line is one event of an example; missing fields are the target's.
type line struct {
	Type    events.Type     `json:"type"`
	Data    json.RawMessage `json:"data"`
	Project string          `json:"project"`
	Session string          `json:"session"`
	Lane    string          `json:"lane"`
	Turn    string          `json:"turn"`
	EchoOf  uint64          `json:"echo_of"`
}

// readLog returns a log of lines; an event's sequence is its line number.
func readLog(t *testing.T, lines []byte) replay.Slice {
	t.Helper()
	var log replay.Slice
	for text := range bytes.Lines(lines) {
		l := line{Project: target.Project, Session: target.Session}
		strict(t, text, &l)
		zero, err := events.Open(events.Envelope{Meta: events.Meta{Type: l.Type, TypeVer: 1}, Body: events.Raw{0x80}})
		if err != nil {
			t.Fatal(err)
		}
		e := reflect.New(reflect.TypeOf(zero))
		if l.Data != nil {
			strict(t, l.Data, e.Interface())
		}
		seq := uint64(len(log) + 1)
		log = append(log, eventstest.Wrap(t, e.Elem().Interface().(events.Event), events.Meta{
			Project: l.Project, Session: l.Session, Lane: l.Lane, Turn: l.Turn, EchoOf: l.EchoOf, Seq: seq, At: int64(seq) * int64(10*time.Second),
		}))
	}
	return log
}

// strict decodes JSON and refuses unknown keys.
func strict(t *testing.T, b []byte, v any) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	if err := dec.Decode(v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
}
