package answers

import (
	"context"
	"strconv"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// mayBeDueAtWork reports whether a recovery text or an urgent notice may be due to a lane after a tool call.
func (a *Answers) mayBeDueAtWork(t projections.Target) bool {
	return a.unanswered[t] || a.takeSample(t)
}

// startBefore returns the text of the start that preceded a prompt, for agents that take no text at a start.
func (a *Answers) startBefore(ctx context.Context, q question) (answer, error) {
	start, ok, err := a.startOf(ctx, q)
	if err != nil || !ok {
		return answer{}, err
	}
	q.event = start
	return a.derive(ctx, wire.StartText, q)
}

// startOf returns the newest start of the asking session. ok is false if a prompt or the end of a turn came after it.
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

// dueText returns the recovery text of the newest compaction if no hook has printed it yet. A start after the compaction makes the same
// claim for its recovery text, so that the text is printed once.
func (a *Answers) dueText(_ context.Context, q question) (answer, error) {
	last, answers := projections.LastCompact.In(q.fold), projections.Answers.In(q.fold)
	if last.Count == 0 || answers.Recovery >= last.Count {
		return answer{}, nil
	}
	r := recovery.Of(q.fold)
	if r.Compaction == 0 || r.Empty() {
		return answer{}, nil
	}
	result, err := a.answerWith(q, r, false, []string{strconv.Itoa(r.Compaction)})
	result.kind = wire.RecoveryText
	return result, err
}

// unanswered holds the lanes whose newest compaction was followed by no recovery text.
type unanswered map[projections.Target]bool

// note records an event of the log.
func (u unanswered) note(e events.Envelope) {
	t := projections.Target{Project: e.Project, Session: e.Session, Lane: e.Lane}
	switch e.Type {
	case events.TypeOf[events.CompactionCompleted](), events.TypeOf[events.ContextRestarted]():
		u[t] = true
	case events.TypeOf[events.RecoveryGiven](), events.TypeOf[events.SessionEnded](), events.TypeOf[events.SubagentEnded]():
		delete(u, t)
	}
}
