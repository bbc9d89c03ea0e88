package projections

import (
	"cmp"
	"slices"
	"strings"

	"journal/events"
)

// AgentState is a subagent that works in the background.
type AgentState struct {
	ID    string `json:"id"`    // the client's id of the subagent, which is its lane
	About string `json:"about"` // its task, on one line
	Seq   uint64 `json:"seq"`   // the event with the task
	// Name and Team are set for a teammate.
	Name string `json:"name,omitempty"`
	Team string `json:"team,omitempty"`
	// StoppedByRestart is set if the session's client was started since: the subagent has ended, or is out of the client's reach.
	StoppedByRestart bool `json:"stopped_by_restart,omitempty"`
}

// AgentsState lists the subagents in the background whose end no event has reported, oldest first.
type AgentsState []AgentState

// MarshalJSON encodes an empty list as a list.
func (l AgentsState) MarshalJSON() ([]byte, error) { return marshalList(l) }

// maxAgents bounds the subagents of a state.
const maxAgents = 50

// Agents lists the subagents that the lane started in the background and that still work. A SubagentEnded of its own lane or a
// BackgroundEnded ends a subagent. A teammate waits for messages after each answer, so only a BackgroundEnded ends it.
var Agents = Declare("agents", 2, Lane, "subagents that work in the background",
	On(func(l AgentsState, e events.SubagentTasked, at At) AgentsState {
		if !e.Background {
			return l
		}
		return grown(l.without(e.Lane), AgentState{ID: e.Lane, About: purpose(e), Seq: at.Seq, Name: e.Name, Team: e.Team}, maxAgents)
	}),
	OnIn(Session, func(l AgentsState, _ events.SessionStarted, _ At) AgentsState {
		l = slices.Clone(l)
		for i := range l {
			l[i].StoppedByRestart = true
		}
		return l
	}),
	On(func(l AgentsState, e events.BackgroundEnded, _ At) AgentsState {
		return slices.DeleteFunc(l.without(e.Task), func(a AgentState) bool { return a.Name != "" && a.Name == e.Task })
	}),
	OnIn(Session, func(l AgentsState, _ events.SubagentEnded, at At) AgentsState {
		if slices.ContainsFunc(l, func(a AgentState) bool { return a.ID == at.Lane && a.Name != "" }) {
			return l
		}
		return l.without(at.Lane)
	}),
)

// without returns a copy without the subagent with an id.
func (l AgentsState) without(id string) AgentsState {
	return slices.DeleteFunc(slices.Clone(l), func(a AgentState) bool { return a.ID == id })
}

// purpose returns the purpose of a subagent in the agent's words, else the first line of its task.
func purpose(e events.SubagentTasked) string {
	line, _, _ := strings.Cut(e.Text, "\n")
	return cmp.Or(e.About, line)
}
