package projections

import "journal/events"

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
