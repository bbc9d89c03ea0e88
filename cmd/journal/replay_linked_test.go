package main

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"journal/projections"
)

// The chain of a session is what it goes on from, oldest first (DECISIONS 3.6);
// a link that is not known ends it, and a circle too.
func TestChain(t *testing.T) {
	t.Parallel()
	ref := func(session, before string) projections.SessionRef {
		r := projections.SessionRef{Project: "p", Session: session}
		if before != "" {
			r.Link = &projections.Link{Session: before, How: "clear"}
		}
		return r
	}
	fork := ref("fork", "")
	fork.Link = &projections.Link{How: "fork"}
	all := projections.SessionsState{
		ref("a", ""), ref("b", "a"), ref("c", "b"), fork, ref("x", "y"), ref("y", "x"),
	}
	for session, want := range map[string][]string{
		"a": {"a"}, "c": {"a", "b", "c"}, "fork": {"fork"}, "x": {"y", "x"}, "unknown": {"unknown"},
	} {
		var got []string
		for _, one := range chain(all, projections.Target{Project: "p", Session: session, Lane: "l"}) {
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
