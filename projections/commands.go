package projections

import (
	"cmp"

	"journal/events"
)

// CommandState is one shell command that the agent ran.
type CommandState struct {
	Command string `json:"command"`
	OK      bool   `json:"ok"`
	Exit    int    `json:"exit"` // 0 also when unknown
	Error   string `json:"error,omitempty"`
	// Outcome is what a test, a build or a linter said last of how it went: "ok", "0 issues",
	// "FAIL: TestX". It is empty for other commands, and in logs of versions before.
	Outcome string `json:"outcome,omitempty"`
	// Hidden says that only the output tells of the failure, and the exit code does not.
	Hidden bool   `json:"hidden,omitempty"`
	Seq    uint64 `json:"seq"`
	// Background is the client's id of a command that was started and went on; Ended
	// is where its end was told, 0 while it runs. Until then OK says nothing.
	Background string `json:"background,omitempty"`
	Ended      uint64 `json:"ended,omitempty"`

	// Use is the tool call, by which a later event may tell how it ended.
	Use string `json:"-"`
}

// Running says that a command was started in the background and nothing told its end.
func (c CommandState) Running() bool { return c.Background != "" && c.Ended == 0 }

// Commands lists the shell commands that the agent ran, oldest first. A command
// whose output shows a failure that its exit code hides has failed.
var Commands = Declare("commands", 4, Lane, "shell commands and how they ended",
	On(func(l List[CommandState], e events.CommandRan, at At) List[CommandState] {
		if e.Person && e.Mark == "" {
			return l // how it ended is not told: it says nothing about the agent's runs of it
		}
		c := CommandState{
			Command: e.Command, OK: !e.Failed && e.Mark == "", Exit: e.Exit, Error: cmp.Or(e.Error, e.Mark),
			Outcome: e.Outcome, Hidden: !e.Failed && e.Mark != "", Background: e.Background, Seq: at.Seq, Use: e.Use,
		}
		if c.Background != "" {
			c.OK = false
		}
		return l.Append(c)
	}),
	On(func(l List[CommandState], e events.BackgroundEnded, at At) List[CommandState] {
		i := l.Len()
		for c := range l.Backward() {
			i--
			if !c.Running() || c.Background != e.Task {
				continue
			}
			c.Ended, c.Exit, c.OK = at.Seq, e.Exit, e.Exit == 0 && e.Status == "completed"
			if !c.OK {
				c.Error = cmp.Or(e.Text, e.Status)
			}
			return l.Set(i, c)
		}
		return l
	}),
	On(func(l List[CommandState], e events.CommandExited, _ At) List[CommandState] {
		i := l.Len()
		for c := range l.Backward() {
			i--
			if e.Use == "" || c.Use != e.Use {
				continue
			}
			c.OK, c.Exit, c.Hidden, c.Error = false, e.Exit, false, cmp.Or(e.Error, c.Error)
			return l.Set(i, c)
		}
		return l
	}),
)

// RefusalState is a tool call that the person did not want.
type RefusalState struct {
	Tool   string `json:"tool"`
	Target string `json:"target,omitempty"` // the command or the file
	Words  string `json:"words,omitempty"`  // empty when the person said nothing
	Seq    uint64 `json:"seq"`
}

// Refusals lists the tool calls that the person refused, oldest first. They are no
// failures: nothing ran.
var Refusals = Declare("refusals", 1, Lane, "tool calls that the person refused",
	On(func(l List[RefusalState], e events.ToolRefused, at At) List[RefusalState] {
		return l.Append(RefusalState{Tool: e.Tool, Target: e.Target, Words: e.Words, Seq: at.Seq})
	}),
)
