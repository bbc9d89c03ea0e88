package projections

import "journal/events"

// SubagentFiles lists the files that the session's subagents wrote and edited, for
// the main thread: what it handed on is its work. A subagent has none.
var SubagentFiles = Declare("subagent-files", 1, Lane, "files that subagents wrote and edited, newest first",
	OnIn(Session, func(s FilesState, e events.FileWritten, at At) FilesState {
		if at.Target.Lane != "" || at.Lane == "" {
			return s
		}
		return s.used(e.Path, e.Op, at.Lane, at)
	}),
	OnIn(Session, FilesState.moved),
)
