package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
)

const recorded = "testdata/streams/claude-2.1.329.jsonl"

// A recorded session of the real client: two compactions, each answered once by
// one JSON object that names what the agent has to know again (S0.5, S0.6).
func TestRecordedSession(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	var texts []string
	for _, a := range w.play(recorded, 1, false) {
		var doc struct {
			Output struct {
				HookEventName     string
				AdditionalContext string
			} `json:"hookSpecificOutput"`
		}
		if json.Unmarshal([]byte(a), &doc) != nil {
			continue // guidance for the summariser is plain text
		}
		if doc.Output.HookEventName != "SessionStart" {
			t.Errorf("answer for %q", doc.Output.HookEventName)
		}
		texts = append(texts, doc.Output.AdditionalContext)
	}
	if len(texts) != 2 {
		t.Fatalf("%d recovery texts, want 2", len(texts))
	}
	for i, wants := range [][]string{
		{"Make the rate limiter a token bucket", "/home/dev/project/limiter.go", "TestBurst", "Replace the counter by a token bucket"},
		{"tokens are refilled on each call", "시계는 필드로 주입한다", "/home/dev/project/limiter_test.go"},
	} {
		for _, want := range wants {
			if at := strings.Index(texts[i], want); at < 0 || at > 1900 {
				t.Errorf("text %d has %q at %d, want it in the first 1,900", i+1, want, at)
			}
		}
	}
	s := w.states("10cf952f")
	if n := s["last-compact"].(map[string]any)["count"]; n != 2.0 {
		t.Errorf("compactions: %v, want 2", n)
	}
}

// Double-wired hooks send everything twice, in a row or at the same moment: the
// states are the same, and nothing is given twice (ADR-0002, ADR-0006).
func TestDoubledHooks(t *testing.T) {
	t.Parallel()
	single := newWorld(t)
	answers := single.play(recorded, 1, false)
	// A checkpoint's id is derived from where it stands, which echoes move.
	statesOf := func(w *world) map[string]any {
		s := w.states("10cf952f")
		delete(s["last-compact"].(map[string]any), "checkpoint")
		return s
	}
	want := statesOf(single)
	for _, atOnce := range []bool{false, true} {
		t.Run(map[bool]string{false: "in a row", true: "at once"}[atOnce], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if got := w.play(recorded, 2, atOnce); len(got) != len(answers) {
				t.Errorf("%d answers, want %d", len(got), len(answers))
			}
			if diff := cmp.Diff(want, statesOf(w)); diff != "" {
				t.Errorf("states differ (-single +doubled):\n%s", diff)
			}
			// Nothing was dropped: the second report of each is there, and marked.
			var originals, echoes int
			for _, e := range w.events() {
				switch {
				case e.EchoOf != 0:
					echoes++
				case !events.Reserved(events.Type(e.Type)):
					originals++
				}
			}
			if originals != echoes || echoes == 0 {
				t.Errorf("%d echoes of %d events", echoes, originals)
			}
		})
	}
}

// Streams derived from real transcripts of other people, when they are at hand.
func TestDerivedStreams(t *testing.T) {
	t.Parallel()
	fixtures := os.Getenv("JOURNAL_FIXTURES")
	streams, err := filepath.Glob(filepath.Join(fixtures, "third-party/hook-streams-derived/*.jsonl"))
	if fixtures == "" || err != nil || len(streams) == 0 {
		t.Skip("no fixtures here")
	}
	compactions := map[string]float64{"6113e919": 3, "7f78a542": 2}
	for _, stream := range streams {
		id := filepath.Base(stream)[:8]
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.play(stream, 1, false)
			want := compactions[id]
			if want == 0 {
				want = 1
			}
			if got := w.states(id)["last-compact"].(map[string]any)["count"]; got != want {
				t.Errorf("compactions: %v, want %v", got, want)
			}
		})
	}
}
