package replay_test

import (
	"fmt"
	"slices"
	"testing"

	"journal/cmd/testkit/eventstest"
	"journal/events"
	"journal/projections"
	_ "journal/projections/all"
	"journal/replay"
)

// TestNeeded: a long span selects the todos of sessions with a plan only, a short one those of all; the states are the
// same.
func TestNeeded(t *testing.T) {
	t.Parallel()
	var log replay.Slice
	say := func(session string, e events.Event) {
		m := events.Meta{Project: "p", Session: session, Seq: uint64(len(log) + 1), At: int64(len(log) + 1)}
		log = append(log, eventstest.Wrap(t, e, m))
	}
	todos := events.TodosWritten{Todos: []events.Todo{{Text: "write it", Status: "pending"}}}
	for i := range 5000 {
		say(fmt.Sprint("other", i%50), todos)
	}
	say("planned", events.PlanApproved{Text: "# The plan"})
	say("planned", todos)
	say("own", events.PromptSubmitted{Text: "go on"})
	target := projections.Target{Project: "p", Session: "own"}
	f := projections.NewFold(target, projections.Config{}, projections.All()...)
	asked := func(span events.Span, session string) bool {
		sel, err := replay.Needed(t.Context(), log, f, span)
		if err != nil {
			t.Fatal(err)
		}
		return slices.Contains(sel, events.Selector{Project: "p", Session: session, Type: events.TypeOf[events.TodosWritten]()})
	}
	if !asked(events.Span{}, "planned") || asked(events.Span{}, "other7") || asked(events.Span{}, "") {
		t.Error("a long reading asks for todos of other sessions than that with a plan")
	}
	if !asked(events.Span{After: 4900, Until: 5003}, "") {
		t.Error("a short reading looks for sessions first")
	}
	if err := replay.Forward(t.Context(), log, f, 0); err != nil {
		t.Fatal(err)
	}
	plan, ok := projections.Plans.In(f).Of("planned")
	if !ok || len(plan.Todos) != 1 {
		t.Errorf("the plan of another session is %+v", plan)
	}
}

// needsTwice reads two types with one opening type: one opened in the project, and one in each session.
var needsTwice = projections.Declare("needs-twice", 1, projections.Project, "for TestNeededOfBothOpenings",
	projections.On(func(n int, _ events.PlanApproved, _ projections.At) int { return n }),
	projections.On(func(n int, _ events.CommandRan, _ projections.At) int { return n + 1 }),
	projections.On(func(n int, _ events.TodosWritten, _ projections.At) int { return n + 1 }),
	projections.OpenedInProject[int]([]events.Type{events.TypeOf[events.PlanApproved]()}, events.TypeOf[events.CommandRan]()),
	projections.OpenedInSession[int]([]events.Type{events.TypeOf[events.PlanApproved]()}, events.TypeOf[events.TodosWritten]()),
)

// TestNeededOfBothOpenings: the list of sessions that is cut for one kind of opening is not the list for the other.
func TestNeededOfBothOpenings(t *testing.T) {
	t.Parallel()
	var log replay.Slice
	for i, session := range []string{"a", "b"} {
		log = append(log, eventstest.Wrap(t, events.PlanApproved{Text: "# The plan"}, events.Meta{Project: "p", Session: session, Seq: uint64(i + 1)}))
	}
	log = append(log, eventstest.Wrap(t, events.CommandRan{Command: "ls"}, events.Meta{Project: "p", Session: "c", Seq: 3}),
		eventstest.Wrap(t, events.TodosWritten{}, events.Meta{Project: "p", Session: "b", Seq: 4}))
	n, err := replay.State(t.Context(), log, projections.Target{Project: "p"}, projections.Config{}, needsTwice, 0)
	if err != nil || n != 2 {
		t.Errorf("the fold counts %d events, %v", n, err)
	}
}
