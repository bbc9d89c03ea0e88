package projections_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/tools/txtar"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
)

var update = flag.Bool("update", false, "write the expectations that are missing; existing ones stay")

// line is one event of an example. Missing fields are the target's: project p, session s, the main lane.
type line struct {
	Type    events.Type     `json:"type"`
	Version int             `json:"version"` // default: the current one
	Data    json.RawMessage `json:"data"`
	Project string          `json:"project"`
	Session string          `json:"session"`
	Lane    string          `json:"lane"`
	Turn    string          `json:"turn"`
	Agent   string          `json:"agent"`
	PID     int             `json:"pid"`
	At      time.Time       `json:"at"` // default: ten seconds after the line before
	EchoOf  uint64          `json:"echo_of"`
}

// readLog returns a log of lines; an event's sequence is its line number.
func readLog(t *testing.T, lines []byte) []events.Envelope {
	t.Helper()
	var log []events.Envelope
	at := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for text := range bytes.Lines(lines) {
		l := line{Project: "p", Session: "s", At: at}
		strict(t, text, &l)
		at = l.At.Add(10 * time.Second)
		m := events.Meta{
			Project: l.Project, Session: l.Session, Lane: l.Lane, Turn: l.Turn, Agent: l.Agent, PID: l.PID,
			At: l.At.UnixNano(), EchoOf: l.EchoOf, Seq: uint64(len(log) + 1),
		}
		if l.Version != 0 {
			e := eventstest.Wrap(t, events.ProjectSeen{Root: string(l.Data)}, m)
			e.Type, e.TypeVer = l.Type, l.Version
			log = append(log, e)
			continue
		}
		e := newEvent(t, l.Type, declarationOf(l.Type).Version)
		if l.Data != nil {
			strict(t, l.Data, e.Interface())
		}
		log = append(log, eventstest.Wrap(t, e.Elem().Interface().(events.Event), m))
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

// TestExamples: each folder of testdata is a projection, each file a log and the state that it gives: events.jsonl,
// state.json and, if unusual, target.json and config.json.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, p := range projections.All() {
		t.Run(p.Name(), func(t *testing.T) {
			t.Parallel()
			files, err := filepath.Glob(filepath.Join("testdata", p.Name(), "*.txtar"))
			if err != nil {
				t.Fatal(err)
			}
			if len(files) == 0 {
				t.Errorf("no example in testdata/%s", p.Name())
			}
			for _, file := range files {
				t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
					t.Parallel()
					example(t, p, file)
				})
			}
		})
	}
}

func example(t *testing.T, p projections.Projection, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	of, config := target, projections.Config{}
	var log []events.Envelope
	var want []byte
	for _, f := range archive.Files {
		switch f.Name {
		case "events.jsonl":
			log = readLog(t, f.Data)
		case "target.json":
			strict(t, f.Data, &of)
		case "config.json":
			strict(t, f.Data, &config)
		case "state.json":
			want = f.Data
		default:
			t.Fatalf("%s is no part of an example", f.Name)
		}
	}
	if strings.TrimSpace(string(archive.Comment)) == "" {
		t.Error("no sentence says what the example is about")
	}
	fold := apply(t, projections.NewFold(of, config, p), log...)
	got, err := json.MarshalIndent(fold.States()[p.Name()], "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	if want == nil {
		if !*update {
			t.Fatal("no state.json: run with -update and read what it wrote")
		}
		archive.Files = append(archive.Files, txtar.File{Name: "state.json", Data: append(got, '\n')})
		if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(jsonValue(t, want), jsonValue(t, got)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// jsonValue decodes JSON and keeps numbers as written.
func jsonValue(t *testing.T, b []byte) any {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v", b, err)
	}
	return v
}
