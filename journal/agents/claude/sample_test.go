package claude_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/agentstest"
	"journal/journal/agents"
	"journal/journal/agents/claude"
)

// samples reads the payloads of one folder of testdata; without a folder all but statusline.
func samples(t testing.TB, folder string) []agentstest.Sample {
	t.Helper()
	if folder != "" {
		return agentstest.Samples(t, folder+"/*.json")
	}
	return slices.DeleteFunc(agentstest.Samples(t, "*/*.json"), func(s agentstest.Sample) bool {
		return strings.HasPrefix(s.Name, "statusline/")
	})
}

// named returns one of the samples.
func named(t testing.TB, name string) []byte {
	t.Helper()
	body, err := os.ReadFile(filepath.Join("testdata", filepath.FromSlash(name)+".json"))
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func dialect(t testing.TB) *agents.Dialect {
	t.Helper()
	d, err := agents.Named(claude.Name)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// env is the environment of the samples: they share one project.
func env(pairs ...string) agents.Env {
	vars := map[string]string{"CLAUDE_PROJECT_DIR": "/home/dev/project"}
	for i := 0; i+1 < len(pairs); i += 2 {
		vars[pairs[i]] = pairs[i+1]
	}
	return agents.Env{Getenv: func(k string) string { return vars[k] }, Now: time.Unix(1_800_000_000, 0)}
}

func read(t testing.TB, body []byte) agents.Report {
	t.Helper()
	return dialect(t).Read(bytes.NewReader(body), env())
}

// payloadWith returns a payload with the common fields and more members.
func payloadWith(t testing.TB, event string, members map[string]any) []byte {
	t.Helper()
	return agentstest.Payload(t, map[string]any{
		"session_id": "s-1", "transcript_path": "/t/s-1.jsonl", "cwd": "/home/dev/project",
		"hook_event_name": event,
	}, members)
}

func encode(t testing.TB, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
