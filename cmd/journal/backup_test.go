package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// told is all that a log says: its events, and every projection of every session.
func (w *world) told() map[string]string {
	w.Helper()
	all := map[string]string{}
	ask := func(args ...string) string {
		out, stderr, code := w.run("", args...)
		if code != 0 {
			w.Fatalf("%q: exit %d, %s", args, code, stderr)
		}
		all[strings.Join(args, " ")] = out
		return out
	}
	ask("export")
	sessions := map[string]bool{}
	for _, e := range w.events() {
		sessions[e.Session] = e.Session != "none"
	}
	for s, is := range sessions {
		if is {
			ask("replay", "--session", s, "--json")
			ask("audit", "--session", s, "--json")
		}
	}
	return all
}

// moved is a world whose log is restored from a file.
func moved(t *testing.T, file string) *world {
	t.Helper()
	w := newWorld(t)
	if out, stderr, code := w.run("", "restore-backup", file); code != 0 {
		t.Fatalf("restore-backup: exit %d, %s%s", code, out, stderr)
	}
	return w
}

// A log that is moved by a backup, or by an export, says the same there, and goes on.
func TestMovedLogIsTheSame(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	w.hook(prompt("s2", strings.Repeat("a long wish ", 300)))
	w.run("", "decide", "--session", "s2", "keep it small")
	w.run("", "forget", "--match", "keep it small", "--yes")
	w.hook(prompt("s2", "after the forgetting"))
	w.run("", "pause", "--project="+t.TempDir())
	dir := t.TempDir()
	whole, lines := filepath.Join(dir, "whole.tar"), filepath.Join(dir, "log.jsonl")
	if out, stderr, code := w.run("", "backup", whole); code != 0 || !strings.Contains(out, "events") {
		t.Fatalf("backup: exit %d, %s%s", code, out, stderr)
	}
	want := w.told()
	if err := os.WriteFile(lines, []byte(want["export"]), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{whole, lines} {
		there := moved(t, file)
		if diff := cmp.Diff(want, there.told()); diff != "" {
			t.Errorf("%s: the log says something else (-want +got):\n%s", filepath.Base(file), diff)
		}
		before := len(there.events())
		there.hook(prompt("s2", "and on"))
		if all := there.events(); len(all) != before+1 || all[before].Seq != uint64(before+1) {
			t.Errorf("%s: the next event is %+v after %d", filepath.Base(file), all[len(all)-1], before)
		}
		there.run("", "stop")
		if out, _, code := there.run("", "verify"); code != 0 {
			t.Errorf("%s: verify: exit %d\n%s", filepath.Base(file), code, out)
		}
		if paused := there.status().Paused; (len(paused) == 1) != (file == whole) {
			t.Errorf("%s: paused is %q", filepath.Base(file), paused)
		}
		if _, _, code := there.run("", "restore-backup", file); code != 1 {
			t.Errorf("%s: a log was restored over another: exit %d", filepath.Base(file), code)
		}
	}
}

// What is not a whole backup makes no log, and can be followed by one that is.
func TestBrokenBackupMakesNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.play(recorded, 1, false)
	file := filepath.Join(t.TempDir(), "b.tar")
	if _, stderr, code := w.run("", "backup", file); code != 0 {
		t.Fatal(stderr)
	}
	if _, stderr, code := w.run("", "backup", file); code != 1 || !strings.Contains(stderr, "exists already") {
		t.Errorf("a second one over it: exit %d, %s", code, stderr)
	}
	good, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	killed, running := filepath.Join(filepath.Dir(file), ".journal-backup-1"), filepath.Join(filepath.Dir(file), ".journal-backup-2")
	for dir, age := range map[string]time.Duration{killed: 48 * time.Hour, running: time.Minute} {
		if err := errors.Join(os.Mkdir(dir, 0o700), os.Chtimes(dir, time.Time{}, time.Now().Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	if _, stderr, code := w.run("", "backup", file+"2"); code != 0 {
		t.Fatal(stderr)
	}
	if there, _ := filepath.Glob(filepath.Join(filepath.Dir(file), ".journal-backup-*")); !slices.Equal(there, []string{running}) {
		t.Errorf("left of backups that were killed: %q", there)
	}
	altered := bytes.Clone(good)
	altered[len(altered)/2] ^= 1
	there := newWorld(t)
	for name, b := range map[string][]byte{
		"cut": good[:len(good)/2], "altered": altered, "empty": nil, "text": []byte("hello"), "bad line": []byte("{\"seq\":1}\n"),
		"its description only": good[:1024], "other order": []byte(`{"format":3,"seq":2,"id":"b","type":"phase.planned","version":1,"at":"2026-01-31T10:00:00Z","data":{}}` + "\n" +
			`{"format":3,"seq":1,"id":"a","type":"phase.planned","version":1,"at":"2026-01-31T10:00:00Z","data":{}}` + "\n"),
	} {
		out, stderr, code := there.run(string(b), "restore-backup", "-")
		if code != 1 || stderr == "" || out != "" {
			t.Errorf("%s: exit %d, %q, %q", name, code, out, stderr)
		}
		if names, _ := filepath.Glob(filepath.Join(there.dir, "[^o]*")); len(names) > 0 {
			t.Errorf("%s: left behind: %q", name, names)
		}
	}
	if _, stderr, code := there.run(string(good), "restore-backup", "-"); code != 0 {
		t.Errorf("the good one: exit %d, %s", code, stderr)
	}
}
