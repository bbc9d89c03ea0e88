package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/cmd/testkit/testutil"
)

// On a full disk no owner can run. What reads the log reads its files then, and says the
// same: where an owner waits for space, and where none can start.
func TestReadingOnAFullDisk(t *testing.T) {
	t.Parallel()
	if !inside(t) {
		return
	}
	w := newWorld(t)
	w.onDisk("16m")
	w.play(filepath.Join("testdata", "streams", "claude-2.1.329.jsonl"), 1, false)
	verbs := [][]string{
		{"replay", "--json"}, {"replay", "--seq", "20"}, {"log", "--json", "-n", "0"}, {"log", "--type", "prompt.submitted"}, {"recover"},
		{"audit"}, {"search", "--all", "the"}, {"show", "1"}, {"sessions", "--json"}, {"export"},
	}
	const session = "10cf952f-5ea0-426b-8bba-de006d0da81e"
	read := func(verb []string) (out, errOut string) {
		t.Helper()
		switch verb[0] {
		case "replay", "recover", "audit":
			verb = append(verb, "--session", session)
		}
		out, errOut, code := w.run("", verb...)
		if code != 0 {
			t.Errorf("journal %s ends with %d: %s", strings.Join(verb, " "), code, errOut)
		}
		return out, errOut
	}
	var want []string
	for _, verb := range verbs {
		out, _ := read(verb)
		want = append(want, out)
	}
	same := func(offline bool) {
		t.Helper()
		for i, verb := range verbs {
			out, errOut := read(verb)
			if diff := cmp.Diff(want[i], out); diff != "" {
				t.Errorf("journal %s says something else (-owned +now):\n%s", strings.Join(verb, " "), diff)
			}
			if offline && !strings.Contains(errOut, "the log is read from its files") {
				t.Errorf("journal %s asks an owner: %q", strings.Join(verb, " "), errOut)
			}
		}
	}
	owner := w.owner()
	fill(t, filepath.Join(w.dir, "ballast"))
	testutil.Eventually(t, "the owner notices", func() bool {
		// What the last page of the store has no room for either.
		w.hook(strings.Replace(prompt(session, testutil.Words(1, 60<<10)), `"cwd":"/"`, `"cwd":"/home/dev/project"`, 1))
		return strings.Contains(strings.Join(w.status().Problems, "\n"), "could not start")
	})
	same(true) // while the owner waits for space
	if _, errOut, code := w.run("", "log", "--follow"); code == 0 || !strings.Contains(errOut, "nobody owns the log") {
		t.Errorf("followed, exit code %d: %s", code, errOut)
	}
	if err := owner.Kill(); err != nil {
		t.Fatal(err)
	}
	same(false) // another may be able to start, if only to read
}
