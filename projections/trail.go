package projections

import "journal/events"

// TrailState is where the agent works.
type TrailState struct {
	Root string `json:"root,omitempty"` // of the project
	Cwd  string `json:"cwd,omitempty"`  // where it ran a command last, or began
}

// Trail tells where the agent works: what the owner of the log looks at when the context is compacted follows from it.
var Trail = Declare("trail", 1, Lane, "where the agent works, and on what",
	OnIn(Project, func(s TrailState, e events.ProjectSeen, _ At) TrailState {
		s.Root = e.Root
		return s
	}),
	On(func(s TrailState, e events.SessionStarted, _ At) TrailState {
		keep(&s.Root, e.Root)
		keep(&s.Cwd, e.Cwd)
		return s
	}),
	On(func(s TrailState, e events.CommandRan, _ At) TrailState {
		if !e.Person {
			keep(&s.Cwd, e.Cwd)
		}
		return s
	}),
)
