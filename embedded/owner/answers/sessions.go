package answers

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// Sessions provides the sessions of a log, as of any sequence.
type Sessions struct {
	log *journal.Log
	all *replay.Folds // one fold, of the whole log
}

// NewSessions returns the Sessions of a log.
func NewSessions(log *journal.Log) *Sessions {
	return &Sessions{log, replay.NewFolds(log, 1, projections.Sessions)}
}

// at returns all sessions as of a sequence.
func (s *Sessions) at(ctx context.Context, seq uint64) (projections.SessionsState, error) {
	f, err := s.all.At(ctx, projections.Target{}, projections.Config{}, seq)
	if err != nil {
		return projections.SessionsState{}, err
	}
	return projections.Sessions.In(f), nil
}

// Cleared returns the session whose context was cleared with /clear and that t continues, as of a sequence. It returns false if there is
// none.
func (s *Sessions) Cleared(ctx context.Context, t projections.Target, seq uint64) (projections.Target, bool, error) {
	all, err := s.at(ctx, seq)
	if err != nil {
		return projections.Target{}, false, err
	}
	ref, ok := all.Of(t.Project, t.Session)
	if !ok || ref.Link == nil || ref.Link.How != "clear" || ref.Link.Session == "" {
		return projections.Target{}, false, nil
	}
	return projections.Target{Project: t.Project, Session: ref.Link.Session}, true, nil
}

// Past returns the state of the main lane of session t, as of a sequence.
func (s *Sessions) Past(ctx context.Context, t projections.Target, seq uint64) (*recovery.Past, error) {
	f := projections.NewFold(t, projections.Config{}, recovery.PastNeeds...)
	if err := replay.Forward(ctx, s.log, f, seq); err != nil {
		return nil, err
	}
	return recovery.PastOf(f), nil
}

// usedPercent returns the used percentage of a session's context as of a sequence, 0 if it is unknown. c holds the parameters of folds.
func (s *Sessions) usedPercent(ctx context.Context, t projections.Target, c projections.Config, seq uint64) (int, error) {
	pressure, err := replay.State(ctx, s.log, t, c, projections.Pressure, seq)
	return pressure.UsedPercent, err
}

// before returns the state of the session that Cleared returns, as of a sequence. It returns nil if there is none, or if it has no work.
func (s *Sessions) before(ctx context.Context, t projections.Target, seq uint64) (*recovery.Past, error) {
	before, ok, err := s.Cleared(ctx, t, seq)
	if err != nil || !ok {
		return nil, err
	}
	past, err := s.Past(ctx, before, seq)
	if err != nil || past.Nothing() {
		return nil, err
	}
	return past, nil
}

// maxPast bounds the number of sessions that are searched for unfinished work. The newest come first.
const maxPast = 16

// earlier returns the state of the newest other session of t's project that has a request or todos, and that has ended, has no process any
// more, or was silent for recovery.Silence. It returns nil if there is none. The state is as of the sequence seq. The silence is that from
// the session's newest event, which may be behind seq, to now, in ns since 1970.
func (s *Sessions) earlier(ctx context.Context, t projections.Target, seq uint64, now int64) (*recovery.Past, error) {
	found, err := s.candidates(ctx, t, seq, now)
	if err != nil {
		return nil, err
	}
	for _, ref := range found {
		past, err := s.Past(ctx, projections.Target{Project: ref.Project, Session: ref.Session}, seq)
		if err != nil {
			return nil, err
		}
		if past.Request.Text != "" || len(past.Todos) > 0 {
			past.ByOther(ref, now)
			return past, nil
		}
	}
	return nil, nil
}

// candidates returns the sessions that earlier examines, the newest first. It leaves out headless sessions if there are others.
func (s *Sessions) candidates(ctx context.Context, t projections.Target, seq uint64, now int64) (found []projections.SessionRef, err error) {
	all, err := s.at(ctx, seq)
	if err != nil {
		return nil, err
	}
	var others, attended []projections.SessionRef // sessions of the project; those that are not headless
	for ref := range all.Backward() {
		if ref.Project != t.Project || ref.Session == t.Session {
			continue
		}
		others = append(others, ref)
		if !ref.Headless {
			attended = append(attended, ref)
		}
	}
	if len(attended) > 0 {
		others = attended
	}
	for _, ref := range others[:min(len(others), maxPast)] {
		if !ref.Ended {
			last, err := s.log.Last(ctx, events.Selector{Project: ref.Project, Session: ref.Session})
			if err != nil && !errors.Is(err, journal.ErrNone) {
				return nil, err
			}
			if !ref.Gone && time.Duration(now-last.At) < recovery.Silence {
				continue
			}
			ref.LastSeq, ref.LastAt = last.Seq, projections.Stamp(last.At)
		}
		found = append(found, ref)
	}
	slices.SortStableFunc(found, func(a, b projections.SessionRef) int { return cmp.Compare(b.LastSeq, a.LastSeq) })
	return found, nil
}

// titleUnits bounds a title, in UTF-16 units.
const titleUnits = 80

// title returns the title of a session, for people, empty if it is unknown.
func (s *Sessions) title(ctx context.Context, project, session string) string {
	if session == events.None {
		return ""
	}
	title, err := replay.Title(ctx, s.log, projections.Target{Project: project, Session: session})
	if err != nil {
		return ""
	}
	return text.CutLine(title, titleUnits)
}
