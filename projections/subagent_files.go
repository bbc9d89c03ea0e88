package projections

import "journal/events"

// SubagentFiles lists the files that the session's subagents wrote and edited, for
// the main thread: what it handed on is its work. A subagent has none.
var SubagentFiles = Declare("subagent-files", 1, Lane, "files that subagents wrote and edited, newest first",
	OnIn(Session, func(l FilesState, e events.FileWritten, at At) FilesState {
		if at.Target.Lane != "" || at.Lane == "" {
			return l
		}
		l = l.used(e.Path, e.Op, at)
		l[0].Lane = at.Lane // of a list of its own
		return l
	}),
	OnIn(Session, FilesState.moved),
)
