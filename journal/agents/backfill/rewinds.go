package backfill

import (
	"slices"

	"journal/events"
	"journal/journal/agents/transcript"
)

// rewind is a rewind within the steps of a lane.
type rewind struct {
	step
	from, to int // the steps taken back, to excluded
}

// withoutRewinds separates the rewinds from the other steps of a lane. A start of the session does not count as a step.
func withoutRewinds(all []step) (steps []step, rewinds []rewind) {
	started := 0
	for _, s := range all {
		switch {
		case s.back != nil:
			rewinds = append(rewinds, rewind{s, max(s.back.First.Place-started, 0), len(steps) - started})
		default:
			if len(steps) == 0 && s.kind == events.SessionStart {
				started = 1
			}
			steps = append(steps, s)
		}
	}
	return steps, rewinds
}

// rewind adds the rewinds of a lane, once what they take back is in the log: one to each session that has a part of it.
func (im *importer) rewind(w *work, steps []step, marks []transcript.Mark, rewinds []rewind) error {
	for _, r := range rewinds {
		var sessions []string
		for i := r.from; i < min(r.to, len(steps)); i++ {
			session, at, id := im.place(w, steps[i], marks[i])
			if session == "" || slices.Contains(sessions, session) {
				continue
			}
			sessions = append(sessions, session)
			back, _ := events.As[events.ConversationRewound](r.all[0])
			back.First, back.From = at, id
			for j := r.to; j < len(steps) && back.Last == 0 && back.Next == ""; j++ {
				if in, at, id := im.place(w, steps[j], marks[j]); in == session {
					back.Last, back.Next = max(at, 1)-1, id
				}
			}
			e, err := r.all[0].With(back)
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

// place returns where the log has a step: its session, and its number or, of an imported one, its id. The session is
// empty if that is unknown, or another transcript's.
func (im *importer) place(w *work, s step, m transcript.Mark) (session string, seq uint64, id string) {
	if at, known := im.inventory.ids[s.id()]; known && base(at.session) == w.session {
		return at.session, at.seq, s.id()
	}
	if m.State == transcript.Held && m.Seq > 0 {
		return w.session, m.Seq, ""
	}
	return "", 0, ""
}
