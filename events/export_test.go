package events

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExportRoundTrip: an event comes back unchanged from its export, with its sequence.
func TestExportRoundTrip(t *testing.T) {
	t.Parallel()
	through := func(e Envelope) Envelope {
		t.Helper()
		x, err := ExportOf(e)
		if err != nil {
			t.Fatal(err)
		}
		line, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseExport(line)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		return again
	}
	for name, d := range declared {
		want, err := Wrap(filled(d), Meta{At: -1, Agent: "claude", Lane: "l", Turn: "t", PID: 9, Cause: "c", N: 2, Key: "tu1", EchoOf: 3, Rules: 1})
		if err != nil {
			t.Fatal(err)
		}
		want.Seq, want.More = 7, []byte(`{"x":1}`)
		got := through(want)
		before, err := Open(want)
		if err != nil {
			t.Fatal(err)
		}
		after, err := Open(got)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff(want.Meta, got.Meta); diff != "" || string(got.More) != string(want.More) {
			t.Errorf("%s: more %s (-want +got):\n%s", name, got.More, diff)
		}
	}
	// {"a":[1,-2,"x",null,true],"b":{"c":1.5}}
	odd := Envelope{Meta: Meta{Version: 1, Seq: 4, ID: "i", Type: "moon.seen", TypeVer: 3, Session: "s", Project: "p"},
		Body: Raw("\x82\xa1a\x95\x01\xfe\xa1x\xc0\xc3\xa1b\x81\xa1c\xcb\x3f\xf8\x00\x00\x00\x00\x00\x00")}
	if diff := cmp.Diff(odd, through(odd)); diff != "" {
		t.Errorf("undeclared (-want +got):\n%s", diff)
	}
}

func TestExportRefuses(t *testing.T) {
	t.Parallel()
	const good = `"format":3,"seq":1,"id":"i","type":"phase.planned","version":1,"at":"2026-01-31T10:00:00Z","data":{"next":"x"}`
	for name, line := range map[string]string{
		"no JSON":      `x`,
		"nothing":      `{}`,
		"time":         `{"format":3,"seq":1,"id":"i","type":"phase.planned","version":1,"at":"now","data":{}}`,
		"no place":     `{"format":3,"id":"i","type":"phase.planned","version":1,"at":"2026-01-31T10:00:00Z","data":{}}`,
		"wrong fields": `{"format":3,"seq":1,"id":"i","type":"phase.planned","version":1,"at":"2026-01-31T10:00:00Z","data":{"next":1}}`,
		"no map":       `{"format":3,"seq":1,"id":"i","type":"moon.seen","version":1,"at":"2026-01-31T10:00:00Z","data":[]}`,
		"good":         "{" + good + "}",
	} {
		if _, err := ParseExport([]byte(line)); (err == nil) != (name == "good") {
			t.Errorf("%s: error %v", name, err)
		}
	}
}
