package projections_test

import (
	"slices"
	"strings"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
)

func prompt(t *testing.T, text string, seq uint64) events.Envelope {
	t.Helper()
	return eventstest.Wrap(t, events.PromptSubmitted{Text: text}, events.Meta{Project: "p", Session: "s", Seq: seq})
}

// TestApplyMalformed: a stored event that does not fit its type counts, and changes no state.
func TestApplyMalformed(t *testing.T) {
	t.Parallel()
	fold := apply(t, projections.NewFold(target, projections.Config{}, projections.All()...), prompt(t, "one", 4))
	before := fold.States()
	bad := prompt(t, "two", 5)
	bad.Body = events.Raw{0x81, 0xa4, 't', 'e', 'x', 't', 0x93, 1, 2, 3}
	fold.Apply(bad)
	if fold.Seq() != 5 || fold.Count() != 2 || fold.Last().Seq != 5 {
		t.Errorf("stands at %d after %d events, want 5 after 2", fold.Seq(), fold.Count())
	}
	mustEqual(t, "states", before, fold.States())
}

// TestFoldCounts: a fold counts the events of its session, and knows the sequence of the last event of all.
func TestFoldCounts(t *testing.T) {
	t.Parallel()
	fold := projections.NewFold(target, projections.Config{}, projections.Prompts)
	of := func(m events.Meta, typ events.Type) events.Envelope {
		e := eventstest.Wrap(t, events.TurnFailed{Error: "rate_limit"}, m)
		if typ != "" {
			e.Type = typ
		}
		return e
	}
	for _, tc := range []struct {
		e     events.Envelope
		count int
		seq   uint64
	}{
		{of(events.Meta{Project: "p", Session: "s", Seq: 2}, ""), 1, 2},
		{of(events.Meta{Project: "p", Session: "s", Lane: "a", Seq: 3}, ""), 2, 3},
		{of(events.Meta{Project: "p", Session: "s", Seq: 4}, "comet.sighted"), 3, 4},
		{of(events.Meta{Project: "p", Session: "s", EchoOf: 4, Seq: 5}, ""), 3, 5},
		{of(events.Meta{Project: "p", Session: "t", Seq: 6}, ""), 3, 6},
		{of(events.Meta{Project: "q", Session: "s", Seq: 9}, ""), 3, 9},
	} {
		apply(t, fold, tc.e)
		if fold.Count() != tc.count || fold.Seq() != tc.seq {
			t.Errorf("after %+v: %d events up to %d, want %d up to %d", tc.e.Meta, fold.Count(), fold.Seq(), tc.count, tc.seq)
		}
	}
	if fold.Last().Seq != 4 {
		t.Errorf("the newest of the session is %d, want 4", fold.Last().Seq)
	}
	if fold.Target() != target {
		t.Errorf("target %v", fold.Target())
	}
}

// TestZeroStates: the empty log has a state for every projection, and a projection missing from a fold has that state.
func TestZeroStates(t *testing.T) {
	t.Parallel()
	empty := projections.NewFold(target, projections.Config{}, projections.All()...).States()
	if len(empty) != len(projections.All()) {
		t.Errorf("%d states of %d projections", len(empty), len(projections.All()))
	}
	fold := apply(t, projections.NewFold(target, projections.Config{}, projections.Prompts), prompt(t, "one", 1))
	if n := len(projections.Todos.In(fold)); n != 0 {
		t.Errorf("%d todos in a fold without them", n)
	}
	if n := projections.Prompts.In(fold).Len(); n != 1 {
		t.Errorf("%d prompts, want 1", n)
	}
}

func TestReads(t *testing.T) {
	t.Parallel()
	reads := projections.NewFold(target, projections.Config{}, projections.LastCompact, projections.Pressure, projections.Sessions).Reads()
	count := func(s projections.Scope, name events.Type) (n int) {
		for _, typ := range reads[s] {
			if typ == name {
				n++
			}
		}
		return n
	}
	for _, tc := range []struct {
		scope projections.Scope
		typ   events.Type
		want  int
	}{
		{projections.Lane, "context.restarted", 1}, // read by two, listed once
		{projections.Project, "compound.finished", 1},
		{projections.Lane, "compound.finished", 0},
		{projections.User, "session.started", 1},
		{projections.Session, "session.started", 0},
	} {
		if got := count(tc.scope, tc.typ); got != tc.want {
			t.Errorf("%s in scope %s is listed %d times, want %d", tc.typ, tc.scope, got, tc.want)
		}
	}
}

// TestAll: the registry is sorted, finds projections by name, and each has a description.
func TestAll(t *testing.T) {
	t.Parallel()
	var names []string
	for _, p := range projections.All() {
		names = append(names, p.Name())
		if found, ok := projections.Named(p.Name()); !ok || found != p {
			t.Errorf("%s is not found by its name", p.Name())
		}
		if p.Version() < 1 || p.Doc() == "" || len(p.Reads()) == 0 {
			t.Errorf("%s: version %d, %q, reads %v", p.Name(), p.Version(), p.Doc(), p.Reads())
		}
		for _, r := range p.Reads() {
			if r.Scope < p.Scope() {
				t.Errorf("%s reads %s in scope %s, which is narrower than its own", p.Name(), r.Type, r.Scope)
			}
		}
	}
	if !slices.IsSorted(names) {
		t.Errorf("not sorted: %v", names)
	}
	if _, ok := projections.Named("weather"); ok {
		t.Error("there is a projection named weather")
	}
	// Scripts use these names (ADR-0031).
	for _, name := range []string{
		"session", "last-compact", "compound-last-run", "pressure", "phase", "ports", "checkpoints", "files", "commands",
		"prompts", "todos", "decisions",
	} {
		if !slices.Contains(names, name) {
			t.Errorf("there is no %s", name)
		}
	}
}

func TestDeclareTwicePanics(t *testing.T) {
	t.Parallel()
	same := func(n int, _ events.TurnEnded, _ projections.At) int { return n }
	for name, declare := range map[string]func(){
		"a name twice": func() { projections.Declare[int]("prompts", 1, projections.Lane, "again") },
		"a type twice": func() {
			projections.Declare("twice", 1, projections.Lane, "reads a type twice", projections.On(same), projections.On(same))
		},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s did not panic", name)
				}
			}()
			declare()
		}()
	}
}

// TestCloneIsOwn: a clone and its original are independent.
func TestCloneIsOwn(t *testing.T) {
	t.Parallel()
	trunk := apply(t, projections.NewFold(target, projections.Config{}, projections.All()...), prompt(t, "one", 1))
	branch := trunk.Clone()
	apply(t, trunk, prompt(t, "two", 2), prompt(t, "three", 3))
	apply(t, branch, prompt(t, "other", 2))
	texts := func(f *projections.Fold) string {
		var all []string
		for p := range projections.Prompts.In(f).All() {
			all = append(all, p.Text)
		}
		return strings.Join(all, " ")
	}
	if got := texts(trunk); got != "one two three" || trunk.Seq() != 3 || trunk.Count() != 3 {
		t.Errorf("the trunk has %q at %d", got, trunk.Seq())
	}
	if got := texts(branch); got != "one other" || branch.Seq() != 2 || branch.Count() != 2 || branch.Last().Seq != 2 {
		t.Errorf("the branch has %q at %d", got, branch.Seq())
	}
}
