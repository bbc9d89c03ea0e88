package claude_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/events"
	"journal/journal/agents/claude"
	"journal/journal/hooks"
)

// sample is one payload of testdata.
type sample struct {
	name string // path below testdata, without .json
	body []byte
}

// samples are the payloads of one folder of testdata, of all but
// statusline without one.
func samples(t testing.TB, folder string) []sample {
	t.Helper()
	pattern := folder
	if folder == "" {
		pattern = "*"
	}
	paths, err := filepath.Glob(filepath.Join("testdata", pattern, "*.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all []sample
	for _, path := range paths {
		if strings.HasSuffix(path, ".golden.json") || folder == "" && filepath.Base(filepath.Dir(path)) == "statusline" {
			continue
		}
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "testdata/"), ".json")
		all = append(all, sample{name, body})
	}
	if len(all) == 0 {
		t.Fatalf("no samples in %q", pattern)
	}
	return all
}

// named gives one of the samples.
func named(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func dialect(t testing.TB) *hooks.Dialect {
	t.Helper()
	d, err := hooks.Named(claude.Name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// env is where the samples were taken: the project of all of them is one.
func env(pairs ...string) hooks.Env {
	vars := map[string]string{"CLAUDE_PROJECT_DIR": "/home/dev/project"}
	for i := 0; i+1 < len(pairs); i += 2 {
		vars[pairs[i]] = pairs[i+1]
	}
	return hooks.Env{Getenv: func(k string) string { return vars[k] }, Now: time.Unix(1_800_000_000, 0)}
}

func read(t testing.TB, body []byte) hooks.Report {
	t.Helper()
	return dialect(t).Read(bytes.NewReader(body), env())
}

// payloadWith gives a payload with the common fields and more members.
func payloadWith(t testing.TB, event string, members map[string]any) []byte {
	t.Helper()
	doc := map[string]any{
		"session_id": "s-1", "transcript_path": "/t/s-1.jsonl", "cwd": "/home/dev/project",
		"hook_event_name": event,
	}
	for k, v := range members {
		doc[k] = v
	}
	return encode(t, doc)
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// stored gives the envelopes of a report as the journal makes them: the first
// event carries the rest.
func stored(t testing.TB, rep hooks.Report) [][]byte {
	t.Helper()
	var all [][]byte
	for i, e := range events.Recognise(rep.Hook) {
		h := rep.Hook
		envelope, err := events.Wrap(e, events.Meta{
			At: h.At, Agent: h.Agent, Session: h.Session, Lane: h.Lane, Turn: h.Turn, PID: h.PID,
			Project: "project-01234567", Key: rep.Key, Rules: 1, N: i,
		})
		if err != nil {
			t.Fatalf("wrap: %v", err)
		}
		if i == 0 {
			envelope.More = h.Rest
		}
		b, err := events.Encode(envelope)
		if err != nil {
			t.Fatalf("encode: %v", err)
		}
		all = append(all, b)
	}
	return all
}

// recognised gives the only event of a report, which has to be an E.
func recognised[E events.Event](t testing.TB, rep hooks.Report) E {
	t.Helper()
	all := events.Recognise(rep.Hook)
	if len(all) != 1 {
		t.Fatalf("%d events %v, want one", len(all), all)
	}
	e, ok := all[0].(E)
	if !ok {
		t.Fatalf("event is %T %+v", all[0], all[0])
	}
	return e
}
