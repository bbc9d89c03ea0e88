package answers

import (
	"context"

	"journal/events"
	"journal/projections"
)

// wasSampled reports whether the usage of a session was sampled since the last call.
func (a *Answers) wasSampled(t projections.Target) bool {
	sampled := a.sampled[t]
	delete(a.sampled, t)
	return sampled
}

// urgentNotice returns the notice of a nearly full context in a long turn, after a tool call. It returns only the urgent level,
// which then does not come again with the next prompt (S1.4).
func (a *Answers) urgentNotice(_ context.Context, q question) (answer, error) {
	if projections.Pressure.In(q.fold).Level != projections.LevelUrgent {
		return answer{}, nil
	}
	return a.pressure(q)
}

// sampled holds the sessions whose usage was sampled since the last check.
type sampled map[projections.Target]bool

func (s sampled) note(e events.Envelope) {
	if e.Type == events.TypeOf[events.UsageSampled]() && e.Lane == "" {
		s[projections.Target{Project: e.Project, Session: e.Session}] = true
	}
	if e.Type == events.TypeOf[events.SessionEnded]() {
		delete(s, projections.Target{Project: e.Project, Session: e.Session})
	}
}
