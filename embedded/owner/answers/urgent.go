package answers

import (
	"context"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// The notice of a nearly full context in a long turn, after a tool call: the urgent
// level only, and once with that of the next prompt (S1.4). It is looked for when the
// usage was sampled since the last look.
var _ = declare(wire.UrgentNotice, answerKind{
	needs: recovery.PressureNeeds,
	worth: func(a *Answers, t projections.Target) bool { return a.sampled.take(t) },
	derive: func(a *Answers, _ context.Context, q question) (answer, error) {
		if projections.Pressure.In(q.fold).Level != projections.LevelUrgent {
			return answer{}, nil
		}
		return a.pressure(q)
	},
})

// sampled are the sessions whose usage was sampled since somebody looked.
type sampled map[projections.Target]bool

func (s sampled) note(e events.Envelope) {
	if e.Type == events.TypeOf[events.UsageSampled]() && e.Lane == "" {
		s[projections.Target{Project: e.Project, Session: e.Session}] = true
	}
	if e.Type == events.TypeOf[events.SessionEnded]() {
		delete(s, projections.Target{Project: e.Project, Session: e.Session})
	}
}

// take says whether a session was sampled, and forgets it.
func (s sampled) take(t projections.Target) bool {
	was := s[t]
	delete(s, t)
	return was
}
