package transcriptcopies_test

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/eventstest"
	"journal/embedded/transcriptcopies"
	"journal/events"
	"journal/journal/agents/claude"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
)

// log is a log in memory. It ignores selectors.
type log []events.Envelope

func (l log) Events(_ context.Context, span events.Span, _ ...events.Selector) iter.Seq2[events.Envelope, error] {
	return func(yield func(events.Envelope, error) bool) {
		for _, e := range l {
			if e.Seq > span.After && !yield(e, nil) {
				return
			}
		}
	}
}

// put appends an event of a session.
func (l *log) put(t *testing.T, session, id string, ev events.Event) {
	t.Helper()
	m := events.Meta{ID: id, At: time.Now().UnixNano(), Agent: claude.Name, Session: session, Project: "p-1", Seq: uint64(len(*l) + 1)}
	*l = append(*l, eventstest.Wrap(t, ev, m))
}

// content returns the rows of a copy, empty if there is none.
func content(t *testing.T, path string) string {
	t.Helper()
	var all strings.Builder
	for row, err := range transcript.RowsOf(path, payload.Limits{}) {
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		all.Write(row)
	}
	return all.String()
}

// TestKeep: a session's copy is redacted, and made once. A session that ran while recording was paused, or began before
// something was removed, has none, and neither has one whose copy retention removed.
func TestKeep(t *testing.T) {
	home, dir := t.TempDir(), t.TempDir()
	t.Setenv("HOME", home)
	projects := filepath.Join(home, ".claude", "projects", "-p")
	if err := os.MkdirAll(projects, 0o700); err != nil {
		t.Fatal(err)
	}
	var l log
	write := func(session, words string) string {
		path := filepath.Join(projects, session+".jsonl")
		row := `{"type":"user","uuid":"u-` + session + `","sessionId":"` + session + `","timestamp":"2026-02-02T10:00:00Z","cwd":"/p","promptId":"p","version":"2.1.9","message":{"role":"user","content":"` + words + `"}}`
		if err := os.WriteFile(path, []byte(row+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	ran := func(session, id string) {
		l.put(t, session, id, events.SessionStarted{Source: "startup", Transcript: write(session, `a key AKIAIOSFODNN7EXAMPLQ and \"\\u003c<b>\"`)})
		l.put(t, session, "", events.SessionEnded{})
	}
	kept := func(session string) string {
		return transcriptcopies.File(dir, "p-1", session, filepath.Join(projects, session+".jsonl"))
	}
	keep := func() {
		t.Helper()
		k := transcriptcopies.Keeper{Dir: dir, Log: &l}
		if err := k.Keep(t.Context(), func() bool { return true }); err != nil {
			t.Fatal(err)
		}
	}

	ran("paused", "")
	l.put(t, "none", "", events.RecordingPaused{})
	ran("one", "")
	ran("imported", events.DerivedID("transcript", "x"))
	l.put(t, "running", "", events.SessionStarted{Source: "startup", Transcript: write("running", "it goes on")})
	l.put(t, "resumed", "", events.SessionStarted{Source: "resume", Transcript: write("resumed", "from before the pause")})
	l.put(t, "resumed", "", events.SessionEnded{})
	keep()
	if got := content(t, kept("one")); !strings.Contains(got, "a key") || strings.Contains(got, "AKIAIOSFODNN7EXAMPLQ") {
		t.Errorf("the copy is %q", got)
	}
	for _, session := range []string{"paused", "imported", "running", "resumed"} {
		if got := content(t, kept(session)); got != "" {
			t.Errorf("%s has a copy: %s", session, got)
		}
	}

	first, err := os.Stat(kept("one"))
	if err != nil {
		t.Fatal(err)
	}
	keep()
	if again, err := os.Stat(kept("one")); err != nil || !os.SameFile(first, again) {
		t.Errorf("an unchanged transcript is copied again: %v", err)
	}
	all, err := transcriptcopies.All(dir)
	if err != nil || len(all) != 1 || all[0].Bytes == 0 {
		t.Fatalf("copies %+v, %v", all, err)
	}
	for text, want := range map[string]bool{"a key": true, "AKIAIOSFODNN7EXAMPLQ": false, "": true, `"\u003c<b>"`: true} {
		if holds, err := all[0].Holds(t.Context(), text, time.Time{}, false); holds != want || err != nil {
			t.Errorf("it holds %q: %v, %v", text, holds, err)
		}
	}
	if holds, err := all[0].Holds(t.Context(), "", time.Date(2026, 2, 1, 0, 0, 0, 0, time.UTC), false); holds || err != nil {
		t.Errorf("it holds something older: %v", err)
	}
	if err := all[0].Drop(); err != nil {
		t.Fatal(err)
	}
	ran("two", "")
	if err := transcriptcopies.Bar(dir); err != nil {
		t.Fatal(err)
	}
	keep()
	if content(t, kept("one")) != "" || content(t, kept("two")) != "" {
		t.Errorf("what was removed comes back: %q, %q", content(t, kept("one")), content(t, kept("two")))
	}
}
