package projections

import "journal/events"

// TaskState is what a subagent was asked to do.
type TaskState struct {
	Text string `json:"text,omitempty"`
	Seq  uint64 `json:"seq,omitempty"`
}

// Task tells what the subagent of the lane was asked to do; nothing of the main
// thread. The main thread gives the task, so it is read in the whole session.
var Task = Declare("task", 1, Lane, "what the subagent was asked to do",
	OnIn(Session, func(s TaskState, e events.SubagentTasked, at At) TaskState {
		if e.Lane == "" || e.Lane != at.Target.Lane {
			return s
		}
		return TaskState{Text: e.Text, Seq: at.Seq}
	}),
)
