package projections

import "journal/events"

// ContinuedFrom gives the event with which another session goes on with a skill that
// this one left unfinished, with all of its state.
func (s PhaseState) ContinuedFrom(session string) events.SkillContinued {
	e := events.SkillContinued{
		From: session, Skill: s.Skill, Phase: s.Phase, Name: s.Name, Output: s.Output, Input: s.Input, Next: s.Next, Text: s.Text,
	}
	for _, d := range s.Completed {
		e.Completed = append(e.Completed, events.PhaseDone{Phase: d.Phase, Name: d.Name, Summary: d.Summary})
	}
	return e
}
