package projections

import (
	"encoding/json"

	"journal/events"
)

// ProjectCompactState is the newest compaction in any main thread of a project.
type ProjectCompactState struct {
	Session string `json:"session"`
	Seq     uint64 `json:"seq"` // its newest fact
	At      Stamp  `json:"at"`
	Trigger string `json:"trigger"` // manual, auto; empty when no hook told

	// Intended is by whom and how the next one was announced.
	Intended struct{ Session, Trigger string } `json:"-"`
}

// ProjectCompact tells the newest compaction of the project's sessions. A session that begins
// gets a line about it (S1.10).
var ProjectCompact = Declare("project-compact", 1, Project, "the newest compaction of the project's sessions",
	On(func(s ProjectCompactState, e events.CompactionIntended, at At) ProjectCompactState {
		if at.Lane == "" {
			s.Intended.Session, s.Intended.Trigger = at.Session, e.Trigger
		}
		return s
	}),
	On(func(s ProjectCompactState, _ events.ContextRestarted, at At) ProjectCompactState {
		return s.compacted("", at)
	}),
	On(func(s ProjectCompactState, e events.CompactionCompleted, at At) ProjectCompactState {
		return s.compacted(e.Trigger, at)
	}),
)

func (s ProjectCompactState) compacted(trigger string, at At) ProjectCompactState {
	if at.Lane != "" {
		return s
	}
	if trigger == "" && s.Intended.Session == at.Session {
		trigger = s.Intended.Trigger
	}
	s.Session, s.Seq, s.At, s.Trigger = at.Session, at.Seq, Stamp(at.At), trigger
	return s
}

// MarshalJSON gives {} before the first compaction.
func (s ProjectCompactState) MarshalJSON() ([]byte, error) {
	if s.Seq == 0 {
		return []byte("{}"), nil
	}
	type shown ProjectCompactState
	return json.Marshal(shown(s))
}
