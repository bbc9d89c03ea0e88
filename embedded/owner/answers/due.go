package answers

import (
	"context"
	"strconv"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// mayBeDue reports whether a text or an urgent notice may be due to a lane at work.
func (a *Answers) mayBeDue(t projections.Target) bool { return a.unanswered[t] || a.wasSampled(t) }

// dueElse returns a function that derives a due text, or else an answer of another kind.
func dueElse(kind string) func(*Answers, context.Context, question) (answer, error) {
	return func(a *Answers, ctx context.Context, q question) (answer, error) {
		if g, err := a.due(q); err != nil || g.text != "" {
			return g, err
		}
		return a.derived(ctx, kind, q)
	}
}

// startOrDue returns the text of a start with the first prompt that follows it.
func (a *Answers) startOrDue(ctx context.Context, q question) (answer, error) {
	if g, err := a.due(q); err != nil || g.text != "" {
		return g, err
	}
	start, ok, err := a.startOf(ctx, q)
	if err != nil {
		return answer{}, err
	}
	if ok {
		atStart := q
		atStart.event = start
		if g, err := a.derived(ctx, wire.StartText, atStart); err != nil || g.text != "" {
			return g, err
		}
	}
	return a.derived(ctx, wire.PressureNotice, q)
}

// startOf returns the newest start of the asker's session, and false if a prompt or
// another answer came after it.
func (a *Answers) startOf(ctx context.Context, q question) (start events.Envelope, ok bool, err error) {
	sel := events.Selector{Project: q.event.Project, Session: q.event.Session}.Of(
		events.TypeOf[events.SessionStarted](), events.TypeOf[events.PromptSubmitted](), events.TypeOf[events.TurnEnded]())
	for e, err := range a.newest.Events(ctx, events.Span{Until: q.origin() - 1}, sel...) {
		if err != nil {
			return events.Envelope{}, false, err
		}
		if e.Lane == "" {
			start, ok = e, e.Type == events.TypeOf[events.SessionStarted]()
		}
	}
	return start, ok, nil
}

// due returns the text of a compaction that no hook could print, unless it was printed since. It has the same claim as the start
// that could have followed, so it is printed once.
func (a *Answers) due(q question) (answer, error) {
	last, answers := projections.LastCompact.In(q.fold), projections.Answers.In(q.fold)
	if last.Count == 0 || answers.Recovery >= last.Count {
		return answer{}, nil
	}
	r := recovery.Of(q.fold)
	if r.Compaction == 0 || r.Empty() {
		return answer{}, nil
	}
	g, err := a.answerWith(q, r, false, []string{strconv.Itoa(r.Compaction)})
	g.kind = wire.RecoveryText
	return g, err
}

// unanswered holds the compacted lanes that have got no recovery text since.
type unanswered map[projections.Target]bool

func (u unanswered) note(e events.Envelope) {
	t := projections.Target{Project: e.Project, Session: e.Session, Lane: e.Lane}
	switch e.Type {
	case events.TypeOf[events.CompactionCompleted](), events.TypeOf[events.ContextRestarted]():
		u[t] = true
	case events.TypeOf[events.RecoveryGiven](), events.TypeOf[events.SessionEnded](), events.TypeOf[events.SubagentEnded]():
		delete(u, t)
	}
}
