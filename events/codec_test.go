package events

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestEnvelopeRoundTrip: an envelope comes back unchanged from its bytes, with the sequence it was read from.
func TestEnvelopeRoundTrip(t *testing.T) {
	t.Parallel()
	for name, d := range declared {
		want, err := Wrap(filled(d), Meta{At: -1, Agent: "claude", Lane: "l", Turn: "t", PID: 9, Cause: "c", N: 2, Key: "tu1", EchoOf: 1 << 60, Rules: 1})
		if err != nil {
			t.Fatal(err)
		}
		if want.ID == "" || want.Session != None || want.Project != None || want.Type != name || want.TypeVer != d.version {
			t.Errorf("%s is wrapped as %+v", name, want.Meta)
		}
		want.More = []byte(`{"x":1}`)
		b, err := Encode(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := Decode(b, 12)
		if err != nil {
			t.Fatal(err)
		}
		want.Seq = 12
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if ev, err := Open(got); err != nil || !cmp.Equal(filled(d), ev) {
			t.Errorf("%s opens as %+v, error %v", name, ev, err)
		}
	}
}

// TestDecodeSkipsWhatItDoesNotKnow: additions of later programs are skipped, in envelopes and events.
func TestDecodeSkipsWhatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	b, err := Marshal(map[string]any{
		"v": 2, "id": "i", "type": "phase.planned", "tv": 1, "later": map[string]any{"a": []int{1}},
		"body": map[string]any{"next": "x", "later": []any{"y"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Decode(b, 0)
	if err != nil {
		t.Fatal(err)
	}
	if ev, err := Open(e); err != nil || ev != (PhasePlanned{Next: "x"}) {
		t.Errorf("%+v, error %v", ev, err)
	}
}

// TestDecodeRefuses: bytes that a later program would read differently, or not at all, are no envelope: stored bytes
// stay for ever.
func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	fields := func(change func(map[string]any)) any {
		m := map[string]any{"v": 1, "id": "i", "type": "phase.planned", "tv": 1, "session": "s", "project": "p", "at": 1, "body": map[string]any{}}
		change(m)
		return m
	}
	set := func(name string, to any) any { return fields(func(m map[string]any) { m[name] = to }) }
	without := func(name string) any { return fields(func(m map[string]any) { delete(m, name) }) }
	for name, tc := range map[string]struct {
		in any
		ok bool
	}{
		"all there":            {fields(func(map[string]any) {}), true},
		"later envelope":       {set("v", 2), true},
		"later event":          {set("tv", 9), true},
		"undeclared":           {set("type", "moon.seen"), true},
		"no body":              {without("body"), true}, // the same as an empty one
		"nothing":              {nil, false},
		"text":                 {"x", false},
		"empty map":            {map[string]any{}, false},
		"no id":                {without("id"), false},
		"no type":              {without("type"), false},
		"no version":           {without("v"), false},
		"no version of event":  {without("tv"), false},
		"version below 1":      {set("v", -1), false},
		"event's below 1":      {set("tv", -1), false},
		"id is a number":       {set("id", 1), false},
		"time is a text":       {set("at", "now"), false},
		"body is a list":       {set("body", []any{"x"}), false},
		"body is a text":       {set("body", "x"), false},
		"body is nil":          {set("body", nil), true}, // the same
		"later body is a list": {fields(func(m map[string]any) { m["tv"], m["body"] = 9, []any{} }), false},
		// The decoder would accept a list for a struct, by position: with one more field nobody could read it again.
		"fields by position": {[]any{1, "i", "phase.planned", 1, 1, "", "s", "", "p", "", 0, "", 0, "", 0, 0, map[string]any{}, []byte{}}, false},
	} {
		b, err := Marshal(tc.in)
		if err != nil {
			t.Fatal(err)
		}
		e, err := Decode(b, 0)
		if (err == nil) != tc.ok || err != nil && !errors.Is(err, ErrMalformed) {
			t.Errorf("%s: error %v, want ok %v", name, err, tc.ok)
		}
		if err != nil {
			continue
		}
		if _, err := Open(e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := ViewOf(e); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestOpenRefuses: fields that do not fit their type are an error that names type and position.
func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	for _, body := range []string{"\x81\xa4next\x01", "\x81\xa4next\x91\xa1x", "\x81\x01\x01"} {
		_, err := Open(Envelope{Meta: Meta{Type: "phase.planned", TypeVer: 1, Seq: 33}, Body: Raw(body)})
		if !errors.Is(err, ErrMalformed) || !strings.Contains(err.Error(), "phase.planned version 1 at seq 33") {
			t.Errorf("%q: error %v", body, err)
		}
	}
	// A nil field is a missing field.
	e := Envelope{Meta: Meta{Type: "phase.planned", TypeVer: 1}, Body: Raw("\x81\xa4next\xc0")}
	if ev, err := Open(e); err != nil || ev != (PhasePlanned{}) {
		t.Errorf("nil is %+v, error %v", ev, err)
	}
}

// TestTooLarge: the largest accepted event has MaxBytes with its envelope.
func TestTooLarge(t *testing.T) {
	t.Parallel()
	sized := func(n int) (Envelope, error) {
		return Wrap(PhasePlanned{Next: strings.Repeat("x", n)}, Meta{ID: "i", Session: "s", Project: "p"})
	}
	e, err := sized(MaxBytes / 2)
	if err != nil {
		t.Fatal(err)
	}
	b, err := Encode(e)
	if err != nil {
		t.Fatal(err)
	}
	exact := MaxBytes/2 + MaxBytes - len(b)
	if e, err = sized(exact); err != nil {
		t.Fatal(err)
	}
	if b, err = Encode(e); err != nil || len(b) != MaxBytes {
		t.Errorf("%d bytes, error %v; want %d", len(b), err, MaxBytes)
	}
	if e, err = sized(exact + 1); err != nil {
		t.Fatal(err)
	}
	if _, err = Encode(e); !errors.Is(err, ErrTooLarge) || !strings.Contains(err.Error(), "phase.planned") {
		t.Errorf("one byte more: error %v", err)
	}
	if _, err := sized(MaxBytes); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a body over the limit: error %v", err)
	}
}

// TestWrapRefusesUnknown: only declared events can be wrapped, not an Unknown.
func TestWrapRefusesUnknown(t *testing.T) {
	t.Parallel()
	if _, err := Wrap(Unknown{Type: "moon.seen", Version: 1, Raw: Raw{0x80}}, Meta{}); !errors.Is(err, ErrUndeclared) {
		t.Errorf("error %v", err)
	}
}

// TestUnknownIsKeptByteForByte: an Unknown is passed on byte for byte, in any encoding.
func TestUnknownIsKeptByteForByte(t *testing.T) {
	t.Parallel()
	odd := []byte("\xde\x00\x02\xd9\x01b\xd3\x00\x00\x00\x00\x00\x00\x00\x01\xa1a\xc7\x01\x05x")
	b, err := Encode(Envelope{Meta: Meta{Version: 1, ID: "i", Type: "moon.seen", TypeVer: 1}, Body: odd})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Decode(b, 1)
	if err != nil {
		t.Fatal(err)
	}
	if again, err := Encode(e); err != nil || !bytes.Equal(again, b) {
		t.Errorf("%x, error %v; stored %x", again, err, b)
	}
}
