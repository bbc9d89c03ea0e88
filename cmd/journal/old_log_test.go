package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/testkit/testutil"
)

// old puts a journal directory as a version before wrote it in the place of the
// world's: testdata/logs/NAME, and what that version's log --json said of it in NAME.jsonl.
func (w *world) old(name string) (logged string) {
	w.Helper()
	from := filepath.Join("testdata", "logs", name)
	if err := os.RemoveAll(w.dir); err != nil {
		w.Fatal(err)
	}
	if err := os.CopyFS(w.dir, os.DirFS(from)); err != nil {
		w.Fatal(err)
	}
	err := filepath.WalkDir(w.dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			err = os.Chmod(path, 0o700)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	b, err := os.ReadFile(from + ".jsonl")
	if err != nil {
		w.Fatal(err)
	}
	return string(b)
}

// A log of the time before messages were compressed is read as it was, and goes on; a
// program of that time refuses it from then on (ADR-0050).
func TestLogOfFormat1(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	before := w.old("format-1")
	if now, stderr, code := w.run("", "log", "--json", "--echoes"); code != 0 || now != before {
		t.Fatalf("exit %d, %s; the log gives other events:\n%s", code, stderr, now)
	}
	long := strings.Repeat("a long wish, ", 200)
	w.hook(prompt("s9", long))
	testutil.Eventually(t, "the archive has it too", func() bool { s := w.status(); return s.Archived == s.LastSeq })
	w.run("", "stop")
	if out, stderr, code := w.run("", "verify"); code != 0 {
		t.Errorf("verify: exit %d\n%s%s", code, out, stderr)
	}
	if after, _, _ := w.run("", "log", "--json", "--echoes"); !strings.HasPrefix(after, before) || !strings.Contains(after, long) {
		t.Errorf("after an append the log gives\n%s", after)
	}
	if b, err := os.ReadFile(filepath.Join(w.dir, "format")); err != nil || string(b) != "2\n" {
		t.Errorf("format is %q, %v", b, err)
	}
	// What forgetting writes anew is the whole log, old messages and new ones.
	if out, stderr, code := w.run("", "forget", "--session", "s9", "--yes"); code != 0 {
		t.Errorf("forget: exit %d\n%s%s", code, out, stderr)
	}
	if after, _, _ := w.run("", "log", "--json", "--echoes"); !strings.HasPrefix(after, before) || strings.Contains(after, long) {
		t.Errorf("after forgetting the log gives\n%s", after)
	}
	if out, stderr, code := w.run("", "verify"); code != 0 {
		t.Errorf("verify after forgetting: exit %d\n%s%s", code, out, stderr)
	}
}
