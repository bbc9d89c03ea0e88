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
	// mayBeDue reports, without a fold, whether an answer may be due to a lane. Nil means always. The caller holds the writer's lock.
	mayBeDue func(*Answers, projections.Target) bool
	// derive returns the answer, the zero value if none is due. It reads only the log, the settings, and what the team has shared.
	derive func(*Answers, context.Context, question) (answer, error)
}

// kinds returns the kinds of answers by the names under which hooks ask for them.
func kinds() map[string]answerKind {
	due := slices.Concat(recovery.Needs(), recovery.PressureNeeds)
	return map[string]answerKind{
		wire.RecoveryText:   {needs: slices.Concat(recovery.Needs(), recovery.StartNeeds), derive: (*Answers).recovery},
		wire.StartText:      {needs: recovery.StartNeeds, derive: (*Answers).start},
		wire.StartOrDue:     {needs: slices.Concat(due, recovery.StartNeeds), derive: (*Answers).startOrDue},
		wire.DueText:        {needs: due, derive: dueTextOr(wire.PressureNotice)},
		wire.DueAtWork:      {needs: due, mayBeDue: (*Answers).mayBeDueAtWork, derive: dueTextOr(wire.UrgentNotice)},
		wire.PressureNotice: {needs: recovery.PressureNeeds, derive: (*Answers).promptNotice},
		wire.UrgentNotice:   {needs: recovery.PressureNeeds, mayBeDue: (*Answers).takeSample, derive: (*Answers).urgentNotice},
		wire.StopAdvice:     {needs: recovery.StopNeeds, derive: (*Answers).stop},
		wire.Guidance:       {needs: recovery.Needs(), derive: (*Answers).guidance},
	}
}
