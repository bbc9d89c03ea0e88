package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// The appender in Python of docs/FORMAT.md, as it stands there, keeps its events in order;
// on Linux also with what hooks report between them.
func TestDocumentedAppender(t *testing.T) {
	t.Parallel()
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("no python3")
	}
	page, err := os.ReadFile("../../docs/FORMAT.md")
	if err != nil {
		t.Fatal(err)
	}
	_, code, _ := strings.Cut(string(page), "```python\n")
	code, _, _ = strings.Cut(code, "```")
	functions, call, ok := strings.Cut(code, "\nappend(")
	if !ok || !strings.Contains(call, `"decision.recorded"`) {
		t.Fatalf("the example is another one:\n%s", code)
	}
	const script = `
import sys
for i in range(20):
    append(os.path.join(os.environ["JOURNAL_DIR"], "spool"), "note.recorded", {"text": "%s-%02d" % (sys.argv[1], i)}, session="s1")
`
	w := newWorld(t)
	w.env = append(w.env, "JOURNAL_OWNER=never-spawn")
	var want []string
	for round := range 4 {
		c := exec.Command(python, "-c", functions+script, fmt.Sprint(round))
		c.Env = w.env
		if out, err := c.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		for i := range 20 {
			want = append(want, fmt.Sprintf("%d-%02d", round, i))
		}
		if runtime.GOOS == "linux" {
			w.hook(prompt("s1", fmt.Sprint(round)))
			want = append(want, fmt.Sprint(round))
		}
	}
	waiting, err := filepath.Glob(filepath.Join(w.dir, "spool", "*.ev"))
	if err != nil || len(waiting) != len(want) {
		t.Fatalf("%d files wait for %d events, %v", len(waiting), len(want), err)
	}
	var got []string
	for _, e := range w.events("--session", "s1") {
		if text, ok := e.Data["text"].(string); ok {
			got = append(got, text)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("in the log:\n%q\nwant\n%q", got, want)
	}
}
