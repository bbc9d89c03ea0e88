package owner

import (
	"context"
	"strconv"

	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// The advice at the end of a turn that working notes wait to be promoted: once
// per set of notes in all sessions of the project, to the person unless it is configured
// for the model, where it starts another turn (S1.2). It never blocks.
var _ = declareAnswer(wire.StopAdvice, answerKind{
	needs:  []projections.Projection{projections.Flow, projections.Stock, projections.Answers},
	derive: (*Owner).stop,
})

func (o *Owner) stop(_ context.Context, q question) (answer, error) {
	to := wire.ToPerson
	switch q.settings.Stop {
	case "model":
		to = wire.ToModel
	case "off":
		return answer{}, nil
	}
	waiting := projections.Flow.In(q.fold).Waiting()
	if len(waiting) == 0 || projections.Answers.In(q.fold).Stop >= waiting[0].Seq {
		return answer{}, nil
	}
	text, err := recovery.Phrase(q.owed.Lang, "stop", struct {
		Count      int
		Headings   []string
		Unverified int
	}{len(waiting), projections.Headings(waiting), manyUnverified(projections.Stock.In(q.fold))})
	if err != nil {
		return answer{}, err
	}
	g := q.notice("stop", "", to, text, waiting[0].Seq, strconv.FormatUint(waiting[0].Seq, 10))
	g.scope = projections.Project
	return g, nil
}

// manyUnverified gives the number of unverified learnings when it is worth a
// word: five or more, and the larger part (S1.9). Else 0.
func manyUnverified(s projections.StockState) int {
	sum := s.Confidence()
	if sum.Unverified >= 5 && 2*sum.Unverified > sum.Entries {
		return sum.Unverified
	}
	return 0
}
