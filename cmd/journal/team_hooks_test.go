package main

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"journal/cmd/testkit/hubtest"
	"journal/cmd/testkit/testutil"
	"journal/embedded/team"
	"journal/embedded/team/hub"
)

// No hook waits for the hub, whatever that does: of each kind the fastest takes less than any of the ways in
// which a hub is waited for elsewhere, of which the shortest is 3 s, and gets its answer (J.9).
func TestHooksDoNotWaitForTheHub(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(t *testing.T, h *hubtest.Hub, in *team.Member){
		"alive":         nil,
		"dead":          func(t *testing.T, h *hubtest.Hub, _ *team.Member) { h.StopAll() },
		"silent":        func(t *testing.T, _ *hubtest.Hub, in *team.Member) { in.Hub = silent(t) },
		"of no address": func(_ *testing.T, _ *hubtest.Hub, in *team.Member) { in.Hub = []string{"nats://hub.invalid:4222"} },
		"refuses the key": func(t *testing.T, h *hubtest.Hub, _ *team.Member) {
			if err := h.Revoke("alice"); err != nil {
				t.Fatal(err)
			}
			h.Announced(t)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := hubtest.New(t, filepath.Join(t.TempDir(), "hub"), hub.Hub{}, 1)
			in := h.Member(t, "alice")
			h.Start(t)
			h.Announced(t)
			if change != nil {
				change(t, h, &in)
			}
			w := newWorld(t)
			project := filepath.Join(t.TempDir(), "web")
			if err := os.Mkdir(project, 0o700); err != nil {
				t.Fatal(err)
			}
			hook := func(event, more string) string {
				return w.hook(fmt.Sprintf(`{"session_id":"s1","hook_event_name":%q,"cwd":%q%s}`, event, project, more))
			}
			hook("UserPromptSubmit", `,"prompt":"paint the door"`)
			w.joins(in)
			for _, args := range [][]string{
				{"team", "project", "--project", project, "web"}, {"team", "share", project, "--yes"},
			} {
				if _, errOut, code := w.run("", args...); code != 0 {
					t.Fatalf("%s: %s", args, errOut)
				}
			}
			testutil.Eventually(t, "it is known how the hub does", func() bool {
				s, err := team.LoadStatus(w.dir)
				return err == nil && (s.Problem != "") == (name != "alive") && (s.Problem != "" || s.Connected && s.Hub > 0)
			})
			fastest := map[string]time.Duration{}
			for n := range 4 {
				for _, kind := range []struct{ event, more, answer string }{
					{"UserPromptSubmit", fmt.Sprintf(`,"prompt":"and door %d"`, n), ""},
					{"PostToolUse", fmt.Sprintf(`,"tool_name":"Bash","tool_use_id":"t%d","tool_input":{"command":"ls"},"tool_response":{"stdout":""}`, n), ""},
					{"PreCompact", `,"trigger":"auto"`, ""},
					{"SessionStart", `,"source":"compact"`, fmt.Sprintf("and door %d", n)},
				} {
					began := time.Now()
					answer := hook(kind.event, kind.more)
					took := time.Since(began)
					if was, ok := fastest[kind.event]; !ok || took < was {
						fastest[kind.event] = took
					}
					if !strings.Contains(answer, kind.answer) {
						t.Errorf("%s is answered %q, want %q in it", kind.event, answer, kind.answer)
					}
				}
			}
			for event, took := range fastest {
				if took > time.Second {
					t.Errorf("the fastest %s takes %v", event, took)
				}
			}
			if out, _, _ := w.run("", "status", "--json"); !strings.Contains(out, `"problems": []`) {
				t.Errorf("the owner is troubled: %s", out)
			}
		})
	}
}

// silent gives the address of somebody who takes connections and never says anything.
func silent(t testing.TB) []string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return []string{"nats://" + l.Addr().String()}
}

// joins makes the world's journal a member's.
func (w *world) joins(in team.Member) {
	w.Helper()
	if _, errOut, code := w.run("", "team", "join", in.Line()); code != 0 {
		w.Fatalf("join: %s", errOut)
	}
}
