package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"journal/journal/spool"
)

// An owner that is asked to stop does not come back for what it could not drain: a
// file of a newer program waits for that program (ADR-0004 rule 3).
func TestStopLeavesWhatANewerProgramWrote(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.hook(`{"session_id":"s1","hook_event_name":"UserPromptSubmit","prompt":"one","cwd":"/p"}`)
	w.owner()
	dir := filepath.Join(w.dir, "spool")
	name, err := spool.Open(dir).Put("later", spool.Msgpack, []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, bytes.Replace(b, []byte("journal-spool 1 "), []byte("journal-spool 9 "), 1), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, stderr, code := w.run("", "stop"); code != 0 {
		t.Errorf("stop ends with %d: %s", code, stderr)
	}
	if w.spooled() != 1 {
		t.Error("the file is gone")
	}
}
