package projections_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/events"
	"journal/projections"
)

// TestChain: the chain of a session is the sessions that it continues, oldest first; an unknown link or a cycle ends
// it.
func TestChain(t *testing.T) {
	t.Parallel()
	f := projections.NewFold(projections.Target{Project: "p"}, projections.Config{}, projections.Sessions)
	told := func(session string, ev events.Event) {
		t.Helper()
		e, err := events.Wrap(ev, events.Meta{Project: "p", Session: session, Seq: f.Seq() + 1})
		if err != nil {
			t.Fatal(err)
		}
		f.Apply(e)
	}
	for _, session := range []string{"a", "b", "c", "x"} {
		told(session, events.SessionStarted{Source: "startup"})
	}
	told("fork", events.SessionStarted{Source: "fork"})
	for session, before := range map[string]string{"b": "a", "c": "b", "x": "y", "y": "x"} {
		told(session, events.SessionLinked{Session: before, How: "fork"})
	}
	all := projections.Sessions.In(f)
	for session, want := range map[string][]string{
		"a": {"a"}, "c": {"a", "b", "c"}, "fork": {"fork"}, "x": {"y", "x"}, "unknown": {"unknown"},
	} {
		var got []string
		for _, one := range all.Chain(projections.Target{Project: "p", Session: session, Lane: "l"}) {
			if (one.Lane == "l") != (one.Session == session) {
				t.Errorf("%s: lane %q of session %s", session, one.Lane, one.Session)
			}
			got = append(got, one.Session)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", session, diff)
		}
	}
}
