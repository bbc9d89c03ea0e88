package projections

import (
	"cmp"
	"slices"

	"journal/events"
)

// TodoState is one item of the agent's todo or task list.
type TodoState struct {
	ID     string `json:"id,omitempty"` // of a task; empty for a todo item
	Text   string `json:"text"`
	Status string `json:"status"` // pending, in_progress, completed
	Seq    uint64 `json:"seq"`    // the event that set this text and status
	// Part is the position of a todo item in the event Seq, from 1. With Seq it identifies the item. Tasks have none.
	Part int `json:"part,omitempty"`
	// Owner is the name of the teammate that has a task. Taken is set if an agent of this session has changed the task's status.
	Owner string `json:"owner,omitempty"`
	Taken bool   `json:"-"`
	// Detail is a task's newest description. Planned is its first description: a later one may describe the result.
	Detail  string `json:"detail,omitempty"`
	Planned string `json:"-"`
	// From is the session from which an open item was carried over, empty for other items.
	From string `json:"from,omitempty"`
}

// TodosState is the todo list in the agent's order, then the tasks in order of creation.
type TodosState []TodoState

// Open lists the items that are not completed.
func (l TodosState) Open() TodosState {
	return slices.DeleteFunc(slices.Clone(l), func(t TodoState) bool { return t.Status == "completed" })
}

// Todos lists the agent's todo items and tasks. An agent has a todo list or a task list, depending on its version and
// settings.
var Todos = Declare("todos", 5, Lane, "the agent's todo items and tasks",
	On(TodosState.written),
	OnIn(Session, TodosState.shared),
	On(TodosState.carried),
)

// shared applies a change of a task by any lane of the session, whose lanes share one task list. The state of a subagent has
// only the tasks that it has changed itself.
func (l TodosState) shared(e events.TaskChanged, at At) TodosState {
	if at.Target.Lane != "" && at.Target.Lane != at.Lane && !slices.ContainsFunc(l, func(t TodoState) bool { return t.ID == e.Task }) {
		return l
	}
	return l.changed(e, at)
}

// carried adds the open items of an earlier session, unless this session has items: then the agent would never complete the earlier
// ones.
func (l TodosState) carried(e events.SessionCarried, at At) TodosState {
	if len(l) > 0 {
		return l
	}
	out := make(TodosState, 0, len(e.Todos))
	for i, t := range e.Todos {
		out = append(out, TodoState{Text: t.Text, Status: t.Status, Seq: at.Seq, Part: i + 1, From: e.From})
	}
	return out
}

// own lists the items that were not carried over.
func (l TodosState) own() TodosState {
	return slices.DeleteFunc(slices.Clone(l), func(t TodoState) bool { return t.From != "" })
}

// written replaces the todo items, and drops those that were carried over. Unchanged ones keep their Seq and Part.
func (l TodosState) written(e events.TodosWritten, at At) TodosState {
	l = l.own()
	out := make(TodosState, 0, len(l)+len(e.Todos))
	matched := make([]bool, len(l))
	for i, t := range e.Todos {
		item := TodoState{Text: t.Text, Status: t.Status, Seq: at.Seq, Part: i + 1}
		for j, old := range l {
			if old.ID == "" && old.Text == t.Text && old.Status == t.Status && !matched[j] {
				item, matched[j] = old, true
				break
			}
		}
		out = append(out, item)
	}
	for _, old := range l {
		if old.ID != "" {
			out = append(out, old)
		}
	}
	return out
}

// changed applies a change of a task. It adds a new task, and then drops the items that were carried over.
func (l TodosState) changed(e events.TaskChanged, at At) TodosState {
	i := slices.IndexFunc(l, func(t TodoState) bool { return t.ID != "" && t.ID == e.Task })
	if e.Task == "" || i < 0 && e.Status == "deleted" {
		return l
	}
	out := slices.Clone(l)
	if i < 0 {
		out = l.own()
		i = len(out)
		out = append(out, TodoState{ID: e.Task, Text: "#" + e.Task, Status: "pending", Seq: at.Seq})
	}
	if e.Status == "deleted" {
		return slices.Delete(out, i, i+1)
	}
	old := out[i]
	setNonEmpty(&out[i].Text, e.Subject)
	setNonEmpty(&out[i].Status, e.Status)
	setNonEmpty(&out[i].Owner, e.Owner)
	setNonEmpty(&out[i].Detail, e.Detail)
	out[i].Planned = cmp.Or(out[i].Planned, e.Detail)
	out[i].Taken = old.Taken || e.Status != "" && e.Subject == "" // an event with the subject comes from a listing of tasks
	if out[i] != old {
		out[i].Seq = at.Seq
	}
	return out
}

// MarshalJSON encodes an empty list as a list.
func (l TodosState) MarshalJSON() ([]byte, error) { return marshalList(l) }
