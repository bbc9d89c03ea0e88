package main

import (
	"path/filepath"
	"strings"
	"testing"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/hub"
)

// A log that was there before its member joined is the same afterwards, also where the owner did not end
// cleanly, or the member leaves again (J.9).
func TestStoresFromBeforeJoining(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		killed bool
	}{{"clean", false}, {"killed", true}} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
			in := h.Member(t, "alice")
			h.Start(t)
			h.Announced(t)
			w := newWorld(t)
			for _, text := range []string{"one", "two", "three"} {
				w.hook(prompt("s1", text))
			}
			all := func() string {
				out, errOut, code := w.run("", "log", "--json", "--echoes")
				if code != 0 {
					t.Fatal(errOut)
				}
				return out
			}
			before := all()
			again := func() {
				t.Helper()
				if c.killed {
					if err := w.owner().Kill(); err != nil {
						t.Fatal(err)
					}
				} else {
					w.run("", "stop")
				}
			}
			same := func(when string) {
				t.Helper()
				now := all()
				if !strings.HasPrefix(now, before) {
					t.Errorf("%s the log gives\n%s\nand gave before\n%s", when, now, before)
				}
				if s := w.status(); s.Events != s.LastSeq || !s.Healthy {
					t.Errorf("%s: %+v", when, s)
				}
				before = now
			}
			w.joins(in)
			again()
			w.hook(prompt("s1", "four"))
			same("after joining")
			if _, errOut, code := w.run("", "team", "share", "--all", "--yes"); code != 0 {
				t.Fatal(errOut)
			}
			hasAll := func() {
				t.Helper()
				testutil.Eventually(t, "the hub has all of it", func() bool {
					s, err := team.LoadStatus(w.dir)
					return err == nil && s.Connected && s.Copy > 0 && s.Hub == s.Head && s.Head >= w.status().LastSeq
				})
			}
			hasAll()
			same("after sharing")
			again()
			w.hook(prompt("s1", "five"))
			hasAll()
			same("after starting again")
			w.run("", "team", "leave", "--keep")
			again()
			w.hook(prompt("s1", "six"))
			same("after leaving")
			if out, errOut, code := w.run("", "verify"); code != 0 {
				t.Errorf("verify: %s%s", out, errOut)
			}
		})
	}
}
