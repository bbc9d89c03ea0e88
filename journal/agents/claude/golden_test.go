package claude_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"testing"

	"journal/events"
	"journal/journal/hooks"
)

var update = flag.Bool("update", false, "write goldens that are missing; existing ones stay")

// golden is what a payload means.
type golden struct {
	Hook   any             `json:"hook"` // fields that are set, without time and rest
	Owed   string          `json:"owed,omitempty"`
	Wait   string          `json:"wait,omitempty"`
	Quick  bool            `json:"quick,omitempty"`
	KeyIs  string          `json:"key_is"` // tool, payload
	Events []goldenEvent   `json:"events"`
	More   json.RawMessage `json:"more,omitempty"`
}

type goldenEvent struct {
	Type events.Type  `json:"type"`
	Data events.Event `json:"data"`
}

// set gives the fields of a struct that are not zero, at any depth.
func set(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		return set(v.Elem())
	case reflect.Struct:
		fields := map[string]any{}
		for i := range v.NumField() {
			if !v.Field(i).IsZero() {
				fields[v.Type().Field(i).Name] = set(v.Field(i))
			}
		}
		return fields
	case reflect.Slice:
		items := make([]any, v.Len())
		for i := range items {
			items[i] = set(v.Index(i))
		}
		return items
	}
	return v.Interface()
}

func goldenOf(t *testing.T, rep hooks.Report) []byte {
	t.Helper()
	h := rep.Hook
	h.At, h.Rest = 0, nil
	g := golden{
		Hook: set(reflect.ValueOf(h)), Owed: rep.Owed, Quick: rep.Quick, More: rep.Hook.Rest,
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

func checkGolden(t *testing.T, s sample, rep hooks.Report) {
	t.Helper()
	got := goldenOf(t, rep)
	path := filepath.Join("testdata", filepath.FromSlash(s.name)+".golden.json")
	want, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("means\n%s\nwant\n%s", got, want)
	}
}

// What each payload of each version of the client means.
func TestClaudeGolden(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t, "") {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			checkGolden(t, s, read(t, s.body))
		})
	}
}

func TestClaudeUsageGolden(t *testing.T) {
	t.Parallel()
	for _, s := range samples(t, "statusline") {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			checkGolden(t, s, dialect(t).Usage(bytes.NewReader(s.body), env()))
		})
	}
}
