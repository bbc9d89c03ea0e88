package transcript

import (
	"strconv"

	"journal/events"
	"journal/journal/agents"
)

// Step is what one hook would have said.
type Step struct {
	Report agents.Report
	// Row is the id of the row that it was read from, and What tells it from the
	// other steps of that row. Both are the same whenever the row is read, in
	// whatever file.
	Row, What string
	// Sure says that hooks of every version of the agent tell such a step: a prompt
	// of a person, a tool call that succeeded. Of the others nothing follows from
	// their absence.
	Sure bool
	// Unhooked says that no hook tells such a step: a call that the client refused by itself before it ran, or a
	// command that the person stopped.
	Unhooked bool
	// After is the occurrence key of the hook's report that the step adds to, and without
	// which it is nothing. Empty for most.
	After string
	// Late is what hooks leave out of the step, as a step of its own: an import adds it
	// where a hook told the rest. Nil for most.
	Late *Step
}

// IDs derives the ids of a step's n events (J.5): the same row gives the same ids
// whatever file it stands in, so that rows which a fork took over are imported once.
// Only the beginning of a session belongs to one session.
func (s Step) IDs(n int) []string {
	ids := make([]string, n)
	for i := range ids {
		words := []string{"transcript", s.Row, s.What, strconv.Itoa(i)}
		if s.Row == "" || s.Report.Hook.Kind == events.SessionStart || s.Report.Hook.Broken != "" {
			words = append(words, s.Report.Hook.Session)
		}
		ids[i] = events.DerivedID(words...)
	}
	return ids
}
