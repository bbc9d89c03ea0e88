package projections

import (
	"path"
	"slices"
	"strings"

	"journal/events"
	"journal/events/text"
)

// SessionPlan is the plan that a person approved last in a session, or that the session took over.
type SessionPlan struct {
	Session string     `json:"session"`
	Title   string     `json:"title"` // first line of the plan, or the name of its file
	Seq     uint64     `json:"seq"`   // the event that has the whole plan
	At      Stamp      `json:"at"`
	Todos   TodosState `json:"todos"` // the session's todos since
}

// Open reports whether anything of the plan is left to do, according to the session's todos. It is true without todos.
func (p SessionPlan) Open() bool { return len(p.Todos) == 0 || len(p.Todos.Open()) > 0 }

// PlansState lists one plan per session, the newest last.
type PlansState []SessionPlan

const (
	maxPlans       = 20  // sessions with a plan, the newest
	planTitleUnits = 200 // UTF-16 units of a title
)

// Plans records the plans approved in the project's sessions, so that other machines can be offered an unfinished plan (J.9).
// A /clear moves a plan to the next session.
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
		at.Lane = "" // all lanes share one list of tasks
		return l.change(at, func(t TodosState) TodosState { return t.changed(e, at) })
	}),
	OpenedInSession[PlansState](
		[]events.Type{events.TypeOf[events.PlanApproved](), events.TypeOf[events.HandoverTaken](), events.TypeOf[events.SessionCarried]()},
		events.TypeOf[events.TodosWritten](), events.TypeOf[events.TaskChanged](),
	),
)

// Of returns the plan of a session, if it has one.
func (l PlansState) Of(session string) (SessionPlan, bool) {
	return firstMatch(l, func(p SessionPlan) bool { return p.Session == session })
}

// approved records the plan of a session's main lane. file is the path at which the client stores it, empty if unknown.
func (l PlansState) approved(plan, file string, at At) PlansState {
	if at.Lane != "" || at.Session == events.None {
		return l
	}
	approved := SessionPlan{Session: at.Session, Title: planTitle(plan, file), Seq: at.Seq, At: Stamp(at.At)}
	return lastOf(append(l.without(at.Session), approved), maxPlans)
}

// planTitle returns the first line of a plan, or the name of its file; empty for neither.
func planTitle(plan, file string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(plan), "\n")
	title := text.Line(strings.TrimLeft(line, "# "))
	if title == "" && file != "" {
		title = path.Base(file)
	}
	return text.CutUnits(title, planTitleUnits)
}

// carried moves the plan of a session to the session that continues the work, unless the later session has a plan.
func (l PlansState) carried(e events.SessionCarried, at At) PlansState {
	if _, known := l.Of(at.Session); known || e.Plan == "" {
		return l
	}
	l = l.without(e.From).approved(e.Plan, e.File, at)
	return l.change(at, func(t TodosState) TodosState { return t.carried(e, at) })
}

// without returns a copy without the plan of a session.
func (l PlansState) without(session string) PlansState {
	return slices.DeleteFunc(slices.Clone(l), func(p SessionPlan) bool { return p.Session == session })
}

// change applies f to the todos of the event's session, if the session has a plan and the event is of its main lane.
func (l PlansState) change(at At, f func(TodosState) TodosState) PlansState {
	i := slices.IndexFunc(l, func(p SessionPlan) bool { return p.Session == at.Session })
	if i < 0 || at.Lane != "" {
		return l
	}
	l = slices.Clone(l)
	l[i].Todos = f(l[i].Todos)
	return l
}

// MarshalJSON encodes an empty list as a list.
func (l PlansState) MarshalJSON() ([]byte, error) { return marshalList(l) }

// PlanState is the plan that the person approved last.
type PlanState struct {
	Text string `json:"text,omitempty"`
	File string `json:"file,omitempty"` // path at which the client stores it
	Seq  uint64 `json:"seq,omitempty"`
	At   Stamp  `json:"at,omitempty"`
}

// Plan records the plan that the person approved last in the lane, or that the session took over.
var Plan = Declare("plan", 3, Lane, "the plan that the person approved last",
	On(func(_ PlanState, e events.PlanApproved, at At) PlanState {
		return PlanState{Text: e.Text, File: e.File, Seq: at.Seq, At: Stamp(at.At)}
	}),
	On(func(s PlanState, e events.HandoverTaken, at At) PlanState {
		if e.Plan == "" {
			return s
		}
		return PlanState{Text: e.Plan, Seq: at.Seq, At: Stamp(at.At)}
	}),
	On(func(s PlanState, e events.SessionCarried, at At) PlanState {
		if e.Plan == "" || s.Seq != 0 { // the lane's own plan holds
			return s
		}
		return PlanState{Text: e.Plan, File: e.File, Seq: at.Seq, At: Stamp(at.At)}
	}),
)
