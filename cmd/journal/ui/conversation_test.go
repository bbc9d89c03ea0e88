package ui_test

import (
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/journal/ui"
	"journal/embedded/transcriptcopies"
	"journal/events"
)

// TestCopy: the conversation offers the kept copy of its transcript, if there is one.
func TestCopy(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	log := newMemory(t, events.SessionStarted{Source: "startup", Transcript: "/gone/s.jsonl"}, events.PromptSubmitted{Text: "build it"})
	s := newSite(t, log, func(c *ui.Config) { c.Dir = dir }).let()
	if body := s.page("/p/p-1/s/s/talk", "build it"); strings.Contains(body, "JSONL") {
		t.Error("a copy is offered that there is not")
	}
	if code, _ := s.ask(http.MethodGet, "/p/p-1/s/s/export?as=jsonl", nil, nil); code != http.StatusNotFound {
		t.Errorf("a missing copy ends with %d", code)
	}
	path := transcriptcopies.File(dir, "p-1", "s", "/gone/s.jsonl")
	for _, content := range []string{"", `{"said":"between two calls"}` + "\n"} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
			t.Fatal(err)
		}
		s.page("/p/p-1/s/s/talk", `href="/p/p-1/s/s/export?as=jsonl"`)
		answer, err := s.Get(s.URL + "/p/p-1/s/s/export?as=jsonl")
		if err != nil {
			t.Fatal(err)
		}
		defer answer.Body.Close()
		b, err := io.ReadAll(answer.Body)
		if name := answer.Header.Get("Content-Disposition"); err != nil || string(b) != content || !strings.Contains(name, "session-s.jsonl") {
			t.Errorf("the file %q has %q, error %v; want %q", name, b, err, content)
		}
	}
}
