package projections_test

import (
	"slices"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
)

func TestProgress(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		done, total int
		want        string
	}{{0, 0, "0/0"}, {0, 3, "0/3 (0%)"}, {3, 5, "3/5 (60%)"}, {2, 3, "2/3 (66%)"}, {5, 5, "5/5 (100%)"}} {
		if got := projections.Progress(tc.done, tc.total); got != tc.want {
			t.Errorf("%d of %d: %s, want %s", tc.done, tc.total, got, tc.want)
		}
	}
}

// TestRunningPort: a session has its own running port, else one that no session claims, and never one of another
// session (S0.3).
func TestRunningPort(t *testing.T) {
	t.Parallel()
	start := func(port, session string) events.Envelope {
		return eventstest.Wrap(t, events.PortChanged{Port: port, Status: "running"}, events.Meta{Project: "p", Session: session})
	}
	block := eventstest.Wrap(t, events.PortChanged{Port: "mine", Status: "blocked"}, events.Meta{Project: "p", Session: "s"})
	for _, tc := range []struct {
		name string
		log  []events.Envelope
		want string
	}{
		{"none", nil, ""},
		{"its own", []events.Envelope{start("theirs", "t"), start("mine", "s"), start("nobody's", events.None)}, "mine"},
		{"its own, whoever came first", []events.Envelope{start("nobody's", events.None), start("mine", "s"), start("theirs", "t")}, "mine"},
		{"its newest", []events.Envelope{start("second", "s"), start("first", "s"), start("second", "s")}, "second"},
		{"another's", []events.Envelope{start("theirs", "t")}, ""},
		{"nobody's", []events.Envelope{start("theirs", "t"), start("nobody's", events.None)}, "nobody's"},
		{"nobody's newest", []events.Envelope{start("b", events.None), start("a", events.None), start("b", events.None)}, "b"},
		{"blocked", []events.Envelope{start("mine", "s"), block}, ""},
		{"taken over", []events.Envelope{start("mine", "s"), start("mine", "t")}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			fold := projections.NewFold(target, projections.Config{}, projections.Ports)
			for i, e := range tc.log {
				e.Seq = uint64(i + 1)
				apply(t, fold, e)
			}
			got, ok := projections.Ports.In(fold).Running("s")
			if got.ID != tc.want || ok != (tc.want != "") {
				t.Errorf("%q, %t; want %q", got.ID, ok, tc.want)
			}
		})
	}
}

// TestLeaves: a subagent's end is not its session's, and events without a session change no port.
func TestLeaves(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		ends events.Meta
		want bool
	}{
		"its session":     {events.Meta{Session: "s"}, true},
		"a subagent":      {events.Meta{Session: "s", Lane: "a"}, false},
		"another session": {events.Meta{Session: "t"}, false},
		"nobody":          {events.Meta{Session: events.None}, false},
	} {
		fold := projections.NewFold(target, projections.Config{}, projections.Ports)
		for i, port := range []string{"s", events.None} {
			apply(t, fold, eventstest.Wrap(t, events.PortChanged{Port: port, Status: "running"}, events.Meta{Project: "p", Session: port, Seq: uint64(i + 1)}))
		}
		tc.ends.Project, tc.ends.Seq = "p", 3
		apply(t, fold, eventstest.Wrap(t, events.SessionEnded{Reason: "other"}, tc.ends))
		ports := projections.Ports.In(fold)
		if len(ports) != 2 || ports[0].SessionEnded != tc.want || ports[1].SessionEnded {
			t.Errorf("%s: %+v", name, ports)
		}
	}
}

// TestWaitsFor: an undefined port does not exist, and blocks the ports that wait for it, as an incomplete one does.
func TestWaitsFor(t *testing.T) {
	t.Parallel()
	fold := projections.NewFold(target, projections.Config{}, projections.Ports)
	for i, e := range []events.Event{
		events.PortDefined{Port: "a", Title: "first"}, events.PortChanged{Port: "a", Status: "complete"},
		events.PortDefined{Port: "b"}, events.PortChanged{Port: "b", Status: "running"},
	} {
		apply(t, fold, eventstest.Wrap(t, e, events.Meta{Project: "p", Session: "s", Seq: uint64(i + 1)}))
	}
	ports := projections.Ports.In(fold)
	if p, ok := ports.Of("a"); !ok || p.Title != "first" || p.Status != "complete" {
		t.Errorf("a is %+v, %v", p, ok)
	}
	if p, ok := ports.Of("c"); ok || p.ID != "" {
		t.Errorf("nobody's is %+v, %v", p, ok)
	}
	if got := ports.Missing([]string{"a", "b", "c"}); !slices.Equal(got, []string{"b", "c"}) {
		t.Errorf("missing %v", got)
	}
	if got := ports.Missing([]string{"a"}); len(got) != 0 {
		t.Errorf("missing %v", got)
	}
}
