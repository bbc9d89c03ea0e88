package projections

import (
	"path"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
)

// LeftPlan is a plan that a person approved in a session and that no todo list of the session says is done.
type LeftPlan struct {
	Session string `json:"session"`
	Title   string `json:"title"` // its first line, or the name of its file
	Seq     uint64 `json:"seq"`   // of the event that has it whole
	At      Stamp  `json:"at"`
	// Todos are what the session wrote of its work since.
	Todos TodosState `json:"todos"`
}

// Open says whether something of the plan is left to do. The session's todos tell; without todos
// all of it is left.
func (p LeftPlan) Open() bool { return len(p.Todos) == 0 || len(p.Todos.Open()) > 0 }

// PlansState lists one plan for each session, the newest last.
type PlansState []LeftPlan

const (
	maxPlans       = 20  // that are remembered: nobody goes back to the first of so many
	planTitleUnits = 200 // UTF-16 units
)

// Plans lists what persons approved in the sessions of the project, so that another machine can hear of a
// plan that was left with nothing else (J.9). A plan goes with a /clear to the session after it.
var Plans = Declare("plans", 2, Project, "the plans that were approved in the project's sessions, and the todos since",
	On(func(l PlansState, e events.PlanApproved, at At) PlansState { return l.approved(e.Text, e.File, at) }),
	On(PlansState.carried),
	On(func(l PlansState, e events.HandoverTaken, at At) PlansState {
		if e.Plan == "" {
			return l
		}
		return l.approved(e.Plan, "", at)
	}),
	On(func(l PlansState, e events.TodosWritten, at At) PlansState {
		return l.change(at, func(t TodosState) TodosState { return t.written(e, at) })
	}),
	On(func(l PlansState, e events.TaskChanged, at At) PlansState {
		at.Lane = "" // all lanes have one list of tasks
		return l.change(at, func(t TodosState) TodosState { return t.changed(e, at) })
	}),
	Behind[PlansState](
		[]events.Type{events.TypeOf[events.PlanApproved](), events.TypeOf[events.HandoverTaken](), events.TypeOf[events.SessionCarried]()},
		events.TypeOf[events.TodosWritten](), events.TypeOf[events.TaskChanged](),
	),
)

// Of gives the plan of a session.
func (l PlansState) Of(session string) (LeftPlan, bool) {
	return first(l, func(p LeftPlan) bool { return p.Session == session })
}

func (l PlansState) approved(plan, file string, at At) PlansState {
	if at.Lane != "" || at.Session == events.None {
		return l
	}
	l = l.without(at.Session)
	l = append(l, LeftPlan{Session: at.Session, Title: planTitle(plan, file), Seq: at.Seq, At: Stamp(at.At)})
	return l[max(0, len(l)-maxPlans):]
}

// planTitle is the first line of a plan, or the name of its file; empty for none.
func planTitle(plan, file string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(plan), "\n")
	title := text.Line(strings.TrimLeft(first, "# "))
	if title == "" && file != "" {
		title = path.Base(file)
	}
	return text.CutUnits(title, planTitleUnits)
}

// carried gives the plan of a session to the one that goes on from it.
func (l PlansState) carried(e events.SessionCarried, at At) PlansState {
	if e.Plan == "" {
		return l
	}
	if _, has := l.Of(at.Session); has {
		return l
	}
	l = l.without(e.From).approved(e.Plan, e.File, at)
	return l.change(at, func(t TodosState) TodosState { return t.carried(e, at) })
}

// without gives a copy without the plan of a session.
func (l PlansState) without(session string) PlansState {
	return slices.DeleteFunc(slices.Clone(l), func(p LeftPlan) bool { return p.Session == session })
}

// change applies a function to the todos of a session that has a plan, in its main thread.
func (l PlansState) change(at At, f func(TodosState) TodosState) PlansState {
	i := slices.IndexFunc(l, func(p LeftPlan) bool { return p.Session == at.Session })
	if i < 0 || at.Lane != "" {
		return l
	}
	l = slices.Clone(l)
	l[i].Todos = f(l[i].Todos)
	return l
}

// MarshalJSON gives a list even when it is empty.
func (l PlansState) MarshalJSON() ([]byte, error) { return marshalList(l) }

// PlanState is the plan that the person approved last.
type PlanState struct {
	Text string `json:"text,omitempty"`
	File string `json:"file,omitempty"` // where the client keeps it
	Seq  uint64 `json:"seq,omitempty"`
	At   Stamp  `json:"at,omitempty"`
}

// Plan tells the plan that the person approved last. One that was refused is none,
// and a new one takes the place of the old.
var Plan = Declare("plan", 3, Lane, "the plan that the person approved last",
	On(func(_ PlanState, e events.PlanApproved, at At) PlanState {
		return PlanState{Text: e.Text, File: e.File, Seq: at.Seq, At: Stamp(at.At)}
	}),
	// Whoever takes a plan over from another machine goes on with that one.
	On(func(s PlanState, e events.HandoverTaken, at At) PlanState {
		if e.Plan == "" {
			return s
		}
		return PlanState{Text: e.Plan, Seq: at.Seq, At: Stamp(at.At)}
	}),
	// One of its own that it has already counts for more.
	On(func(s PlanState, e events.SessionCarried, at At) PlanState {
		if e.Plan == "" || s.Seq != 0 {
			return s
		}
		return PlanState{Text: e.Plan, File: e.File, Seq: at.Seq, At: Stamp(at.At)}
	}),
)
