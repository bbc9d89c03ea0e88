package answers

import (
	"context"
	"slices"

	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// answerKind is one kind of answer.
type answerKind struct {
	needs []projections.Projection // that derive reads
	// mayBeDue reports, without a fold, whether an answer may be due to a lane. Nil means always. It may forget that the
	// usage was sampled, so it is called once for each hook. The caller holds the writer's lock.
	mayBeDue func(*Answers, projections.Target) bool
	derive   deriver
}

// deriver returns an answer, the zero value if none is due. It reads only the log, the configuration, and what the team has shared.
type deriver func(*Answers, context.Context, question) (answer, error)

// firstDue returns a deriver of the first of some answers that is due. If several are due, the others come with the next questions.
func firstDue(all ...deriver) deriver {
	return func(a *Answers, ctx context.Context, q question) (answer, error) {
		for _, derive := range all {
			if found, err := derive(a, ctx, q); err != nil || found.text != "" {
				return found, err
			}
		}
		return answer{}, nil
	}
}

// asKind returns a deriver of an answer of another kind.
func asKind(kind string) deriver {
	return func(a *Answers, ctx context.Context, q question) (answer, error) { return a.derive(ctx, kind, q) }
}

// kinds returns the kinds of answers by the names under which hooks ask for them.
func kinds() map[string]answerKind {
	due := slices.Concat(recovery.Needs(), recovery.PressureNeeds)
	return map[string]answerKind{
		wire.RecoveryText:   {needs: slices.Concat(recovery.Needs(), recovery.StartNeeds), derive: (*Answers).recovery},
		wire.StartText:      {needs: recovery.StartNeeds, derive: (*Answers).start},
		wire.StartOrDue:     {needs: slices.Concat(due, recovery.StartNeeds), derive: firstDue((*Answers).dueText, (*Answers).startBefore, asKind(wire.PressureNotice))},
		wire.DueText:        {needs: due, derive: firstDue((*Answers).dueText, asKind(wire.PressureNotice))},
		wire.DueAtWork:      {needs: due, mayBeDue: (*Answers).mayBeDueAtWork, derive: firstDue((*Answers).dueText, asKind(wire.UrgentNotice))},
		wire.PressureNotice: {needs: recovery.PressureNeeds, derive: firstDue((*Answers).restored, (*Answers).resumed, (*Answers).cleared, (*Answers).pressure)},
		wire.UrgentNotice:   {needs: recovery.PressureNeeds, mayBeDue: (*Answers).takeSample, derive: (*Answers).urgentNotice},
		wire.StopAdvice:     {needs: recovery.StopNeeds, derive: (*Answers).stop},
		wire.Guidance:       {needs: recovery.Needs(), derive: (*Answers).guidance},
	}
}
