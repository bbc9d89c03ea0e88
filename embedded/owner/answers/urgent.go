package answers

import (
	"context"

	"journal/events"
	"journal/projections"
)

// takeSample reports whether the usage of a main lane was sampled since the last call. The caller holds the writer's lock.
func (a *Answers) takeSample(t projections.Target) bool {
	sampled := a.sampled[t]
	delete(a.sampled, t)
	return sampled
}

// urgentNotice returns the notice of pressure after a tool call, in a long turn, if the level is urgent. The next prompt does not get that
// notice again (S1.4).
func (a *Answers) urgentNotice(ctx context.Context, q question) (answer, error) {
	if projections.Pressure.In(q.fold).Level != projections.LevelUrgent {
		return answer{}, nil
	}
	return a.pressure(ctx, q)
}

// sampled holds the main lanes of the sessions whose usage was sampled since the last call of takeSample.
type sampled map[projections.Target]bool

// note records an event that was just stored.
func (s sampled) note(e events.Envelope) {
	t := projections.Target{Project: e.Project, Session: e.Session}
	if e.Type == events.TypeOf[events.UsageSampled]() && e.Lane == "" {
		s[t] = true
	}
	if e.Type == events.TypeOf[events.SessionEnded]() {
		delete(s, t)
	}
}
