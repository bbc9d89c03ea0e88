package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// events33 is how many hook events the newest client knows (docs/CLIENTS.md §1).
const events33 = 33

// Every event of the client goes through the real program: exit code 0 and
// silent, but for what docs/CLIENTS.md §5 lets the model, the person or the summariser
// read.
func TestEveryEventOfTheClient(t *testing.T) {
	t.Parallel()
	paths, err := filepath.Glob("../../journal/agents/*/testdata/*/*.json")
	if err != nil {
		t.Fatal(err)
	}
	mayAnswer := map[string]bool{"SessionStart": true, "PreCompact": true, "UserPromptSubmit": true, "Stop": true}
	byEvent := map[string][]string{}
	for _, path := range paths {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var doc struct {
			Event string `json:"hook_event_name"`
		}
		if strings.HasSuffix(path, ".golden.json") || json.Unmarshal(b, &doc) != nil || doc.Event == "" {
			continue
		}
		byEvent[doc.Event] = append(byEvent[doc.Event], string(b))
	}
	if len(byEvent) < events33 {
		t.Errorf("samples of %d events, want %d", len(byEvent), events33)
	}
	w := newWorld(t)
	var all sync.WaitGroup
	gate := make(chan struct{}, 4)
	sent := 0
	for event, payloads := range byEvent {
		// Two of each event: most differ by the version of the client only.
		payloads = payloads[:min(len(payloads), 2)]
		sent += len(payloads)
		for _, payload := range payloads {
			all.Go(func() {
				gate <- struct{}{}
				defer func() { <-gate }()
				if out := w.hook(payload); out != "" && !mayAnswer[event] {
					t.Errorf("%s is answered %q", event, out)
				}
			})
		}
	}
	all.Wait()
	reports := 0
	for _, e := range w.events() {
		if e.Cause == "" && e.Type != "project.seen" {
			reports++
		}
	}
	if reports != sent {
		t.Errorf("%d reports in the log, want %d", reports, sent)
	}
	if log := w.logFile(); strings.Contains(log, `"level":"ERROR"`) {
		t.Errorf("log file:\n%s", log)
	}
}
