package backfill

import (
	"slices"

	"journal/events"
	"journal/journal/agents/transcript"
)

// rewind is a step that takes back other steps of its lane.
type rewind struct {
	step
	from, to int // indexes of the steps that were taken back: from is included, to is not
}

// splitRewinds splits the steps of a lane into the rewinds and the other steps, without those that isForgotten selects. If steps begins
// with a session's start, the indexes in rewinds count from the step after it, because the caller cuts the start off.
func splitRewinds(all []step, isForgotten func(step) bool) (steps []step, rewinds []rewind) {
	started := 0
	var places []int // for each step but the rewinds, also a forgotten one, the number of steps before it that are not forgotten
	for _, s := range all {
		forgotten := isForgotten(s)
		if s.rewind == nil {
			places = append(places, len(steps))
		}
		switch {
		case forgotten:
			continue
		case s.rewind != nil:
			from := len(steps)
			if place := s.rewind.First.Place; place < len(places) {
				from = places[place]
			}
			rewinds = append(rewinds, rewind{s, max(from-started, 0), len(steps) - started})
			continue
		}
		if len(steps) == 0 && s.kind == events.SessionStart {
			started = 1
		}
		steps = append(steps, s)
	}
	return steps, rewinds
}

// rewind adds the rewinds of a lane, after the steps that they take back. A rewind becomes one event in each session that has at least
// one of these steps: the session itself and its parts. marks holds the marks of steps.
func (im *importer) rewind(w *work, steps []step, marks []transcript.Mark, rewinds []rewind) error {
	for _, r := range rewinds {
		var sessions []string
		for i := r.from; i < min(r.to, len(steps)); i++ {
			session, seq, id := im.placeOf(w, steps[i], marks[i])
			if session == "" || slices.Contains(sessions, session) {
				continue
			}
			sessions = append(sessions, session)
			back, _ := events.As[events.ConversationRewound](r.events[0])
			back.First, back.From = seq, id
			back.Last, back.Next = im.endOf(w, session, steps, marks, r.to)
			e, err := r.events[0].With(back)
			if err != nil {
				return err
			}
			e.Session = session
			if session != w.session {
				e.ID = events.DerivedID(e.ID, session)
			}
			if err := im.put(w, r.root, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// endOf returns the end of a rewind in a session, as ConversationRewound has it: the sequence before the first step after the rewind, 0 if
// unknown, and the id of that step if an import added it. The steps after the rewind begin at index after.
func (im *importer) endOf(w *work, session string, steps []step, marks []transcript.Mark, after int) (last uint64, next string) {
	for i := after; i < len(steps); i++ {
		other, seq, id := im.placeOf(w, steps[i], marks[i])
		if other != session {
			continue
		}
		if seq > 0 {
			last = seq - 1
		}
		if last > 0 || id != "" {
			return last, id
		}
	}
	return 0, ""
}

// placeOf returns the session in which the log has a step, the step's sequence, 0 if unknown, and the id of an imported step. The session
// is "" if the log does not have the step, or has it from another session.
func (im *importer) placeOf(w *work, s step, m transcript.Mark) (session string, seq uint64, id string) {
	if imported, known := im.inventory.ids[s.id()]; known && wholeSession(imported.session) == w.session {
		return imported.session, imported.seq, s.id()
	}
	if m.State == transcript.Held && m.Seq > 0 {
		return w.session, m.Seq, ""
	}
	return "", 0, ""
}
