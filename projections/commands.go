package projections

import "journal/events"

// CommandState is one shell command that the agent ran.
type CommandState struct {
	Command string `json:"command"`
	OK      bool   `json:"ok"`
	Exit    int    `json:"exit"` // 0 also when unknown
	Error   string `json:"error,omitempty"`
	Seq     uint64 `json:"seq"`
}

// Commands lists the shell commands that the agent ran, oldest first.
var Commands = Declare("commands", 1, Lane, "shell commands and how they ended",
	On(func(l List[CommandState], e events.CommandRan, at At) List[CommandState] {
		return l.Append(CommandState{Command: e.Command, OK: !e.Failed, Exit: e.Exit, Error: e.Error, Seq: at.Seq})
	}),
)
