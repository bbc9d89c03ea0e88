// Package agentstest has helpers for tests of the agents' dialects. They compare the reports of sample payloads with golden files,
// and check rules that hold for every payload.
package agentstest

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"journal/events"
	"journal/journal/agents"
)

// Update is the flag with which tests write their golden files.
var Update = flag.Bool("update", false, "write golden files")

// Sample is one payload of testdata.
type Sample struct {
	Name string // path below testdata, without .json
	Body []byte
}

// Samples reads the payloads whose paths below testdata match a pattern, such as */*.json.
func Samples(t testing.TB, pattern string) []Sample {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join("testdata", filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	var all []Sample
	for _, path := range paths {
		if strings.HasSuffix(path, ".golden.json") {
			continue
		}
		body, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, Sample{strings.TrimSuffix(strings.TrimPrefix(filepath.ToSlash(path), "testdata/"), ".json"), body})
	}
	if len(all) == 0 {
		t.Fatalf("no samples in %q", pattern)
	}
	return all
}

// Env returns the environment in which samples are read: a time in 2027, and no variables.
func Env() agents.Env {
	return agents.Env{Getenv: func(string) string { return "" }, Now: time.Unix(1_800_000_000, 0)}
}

// Reader returns a function that reads payloads of a dialect in Env.
func Reader(d *agents.Dialect) func(body []byte) agents.Report {
	return func(body []byte) agents.Report { return d.Read(bytes.NewReader(body), Env()) }
}

// Payload returns a payload with the members of common and more. If both have a member, the payload has that of more.
func Payload(t testing.TB, common, more map[string]any) []byte {
	t.Helper()
	doc := maps.Clone(common)
	maps.Copy(doc, more)
	b, err := json.Marshal(doc)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// meaning is the content of a golden file: the report of a payload.
type meaning struct {
	Hook   any             `json:"hook"`           // the fields of the hook that are set, without At and Rest
	Answer string          `json:"owed,omitempty"` // agents.Report.AnswerKind
	Wait   string          `json:"wait,omitempty"`
	Quick  bool            `json:"quick,omitempty"`
	KeyIs  string          `json:"key_is"` // kind of the report's key: tool or payload
	Events []goldenEvent   `json:"events"`
	More   json.RawMessage `json:"more,omitempty"` // the rest of the payload
}

// goldenEvent is an event of a golden file.
type goldenEvent struct {
	Type events.Type  `json:"type"`
	Data events.Event `json:"data"`
}

// nonZero returns the fields of a struct that are not zero, at any depth, as a map. It returns a slice of structs as a list of maps,
// and any other value as it is.
func nonZero(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return nonZero(v.Elem())
	case reflect.Struct:
		fields := map[string]any{}
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				fields[v.Type().Field(i).Name] = nonZero(v.Field(i))
			}
		}
		return fields
	case reflect.Slice:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = nonZero(v.Index(i))
		}
		return items
	}
	return v.Interface()
}

// goldenOf returns the content of the golden file for a report.
func goldenOf(t *testing.T, rep agents.Report) []byte {
	t.Helper()
	h := rep.Hook
	h.At, h.Rest = 0, nil
	g := meaning{
		Hook: nonZero(reflect.ValueOf(h)), Answer: rep.AnswerKind, Quick: rep.Quick, More: rep.Hook.Rest,
		KeyIs: map[string]string{events.ToolKey: "tool", events.PayloadKey: "payload"}[rep.Key[:1]],
	}
	if rep.Wait > 0 {
		g.Wait = rep.Wait.String()
	}
	for _, e := range events.Recognise(rep.Hook) {
		envelope, err := events.Wrap(e, events.Meta{})
		if err != nil {
			t.Fatal(err)
		}
		g.Events = append(g.Events, goldenEvent{envelope.Type, e})
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(g); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// compareReport compares the report of a sample with the sample's golden file. With -update it writes a missing file.
func compareReport(t *testing.T, s Sample, rep agents.Report) {
	t.Helper()
	got := goldenOf(t, rep)
	path := filepath.Join("testdata", filepath.FromSlash(s.Name)+".golden.json")
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && *Update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("the report is\n%s\nwant\n%s", got, want)
	}
}

// Golden compares a text with a file of testdata. With -update it writes the file first.
func Golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", filepath.FromSlash(name))
	if *Update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// Goldens compares the report of each sample with the sample's golden file. With -update it writes the missing files.
func Goldens(t *testing.T, samples []Sample, read func(body []byte) agents.Report) {
	t.Helper()
	for _, s := range samples {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			compareReport(t, s, read(s.Body))
		})
	}
}

// Stored returns the encoded events of a report as the journal stores them. The first event has the rest of the payload.
func Stored(t testing.TB, rep agents.Report) [][]byte {
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

// Recognised returns the event of a report, which must have exactly one, an E.
func Recognised[E events.Event](t testing.TB, rep agents.Report) E {
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

// Sound reads a payload and checks rules that hold for every payload, also a broken one: the report has events that can be
// appended, a broken payload gets no answer, and a second read returns the same. It returns the report.
func Sound(t testing.TB, read func([]byte) agents.Report, body []byte) agents.Report {
	t.Helper()
	rep := read(body)
	if len(Stored(t, rep)) == 0 {
		t.Error("no event")
	}
	if rep.Hook.Rest != nil && !json.Valid(rep.Hook.Rest) {
		t.Errorf("rest is no JSON: %q", rep.Hook.Rest)
	}
	if len(rep.Key) < 2 {
		t.Errorf("key %q", rep.Key)
	}
	if rep.Hook.Broken != "" && rep.AnswerKind != "" {
		t.Errorf("a broken hook gets the answer %q", rep.AnswerKind)
	}
	if second := read(body); second.Key != rep.Key || !bytes.Equal(second.Hook.Rest, rep.Hook.Rest) {
		t.Error("two reads of one payload differ")
	}
	return rep
}
