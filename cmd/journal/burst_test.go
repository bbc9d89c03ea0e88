package main

import (
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"journal/cmd/testkit/testutil"
)

// Forty hooks, twenty at once, all reach the log once, in front of a running
// owner and of none; of all those that find none, one starts one (ADR-0004 rule 1).
func TestHooksAtOnce(t *testing.T) {
	t.Parallel()
	for _, running := range []bool{false, true} {
		t.Run(map[bool]string{false: "no owner", true: "a running owner"}[running], func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			if running {
				w.hook(`{"session_id":"s0","hook_event_name":"Stop","cwd":"/"}`)
				w.owner()
			}
			const hooks, atOnce = 40, 20
			var all sync.WaitGroup
			gate := make(chan struct{}, atOnce)
			for i := range hooks {
				all.Go(func() {
					gate <- struct{}{}
					defer func() { <-gate }()
					w.hook(prompt(fmt.Sprintf("s%d", i%4), fmt.Sprint("prompt ", i)))
				})
			}
			all.Wait()
			if n := owners(t, w.dir); n != 1 {
				t.Errorf("%d owners", n)
			}
			seen := map[string]int{}
			for _, text := range w.prompts() {
				seen[text]++
			}
			for i := range hooks {
				if text := fmt.Sprint("prompt ", i); seen[text] != 1 {
					t.Errorf("%q is in the log %d times", text, seen[text])
				}
			}
			if s := w.status(); !s.Healthy || s.Spooled != 0 {
				t.Errorf("status %+v", s)
			}
		})
	}
}

// Appends that follow one another without a pause wait behind one another in the
// spool while the owner starts, and no longer: each that waits makes the next one
// wait (ADR-0003).
func TestAppendsCatchUp(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	testutil.Eventually(t, "an append that does not wait in the spool", func() bool {
		out, errOut, code := w.run("", "append", "decision.recorded", "--data", `{"text":"small"}`)
		if code != 0 {
			t.Fatal(errOut)
		}
		return out != "spooled\n"
	})
}

// owners counts the owner processes of a directory.
func owners(t *testing.T, dir string) (n int) {
	t.Helper()
	out, err := exec.Command("ps", "-A", "-o", "args=").Output()
	if err != nil {
		t.Skipf("processes cannot be listed: %v", err)
	}
	for line := range strings.Lines(string(out)) {
		if strings.HasSuffix(strings.TrimSpace(line), "owner --dir "+dir) {
			n++
		}
	}
	return n
}
