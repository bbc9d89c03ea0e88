package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
)

// A fork is linked to its parent while it runs (S3.8, ADR-0020), and an import
// that finds the same adds no second link (ADR-0011).
func TestForkBesideAnImport(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	dir := t.TempDir()
	now := time.Now()
	said := func(session, id string, at time.Duration, text string) map[string]any {
		return map[string]any{
			"type": "user", "uuid": id, "sessionId": session, "cwd": dir, "timestamp": now.Add(at),
			"message": map[string]any{"role": "user", "content": text},
		}
	}
	save := func(session string, rows ...map[string]any) string {
		path := filepath.Join(dir, session+".jsonl")
		var b strings.Builder
		enc := json.NewEncoder(&b)
		for _, r := range rows {
			if err := enc.Encode(r); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	hook := func(event string, members map[string]any) {
		p := map[string]any{"hook_event_name": event, "session_id": "fork", "cwd": dir}
		maps.Copy(p, members)
		b, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		w.hook(string(b))
	}
	links := func() (all []logged) {
		for _, e := range w.events() {
			if e.Type == "session.linked" {
				all = append(all, e)
			}
		}
		return all
	}

	w.imported(save("parent", said("parent", "u1", -time.Hour, "round the sums")))
	path := save("fork",
		said("fork", "u1", -time.Hour, "round the sums"),
		said("fork", "u2", time.Hour, "what of negative ones"),
		said("fork", "u3", 2*time.Hour, "and for zero"))
	hook("SessionStart", map[string]any{"source": "fork", "transcript_path": path})
	hook("UserPromptSubmit", map[string]any{"prompt": "what of negative ones"})
	testutil.Eventually(t, "the link", func() bool { return len(links()) == 1 })
	live := links()[0]
	if live.Session != "fork" || live.Data["session"] != "parent" || live.Data["how"] != "fork" || live.Data["row"] != "u1" {
		t.Errorf("link %+v", live)
	}

	if doc := w.imported(dir); doc.Events != 1 {
		t.Errorf("the import adds %d events, want the prompt that no hook told", doc.Events)
	}
	if n := len(links()); n != 1 {
		t.Errorf("%d links, want 1", n)
	}
}
