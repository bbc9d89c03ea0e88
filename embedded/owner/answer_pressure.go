package owner

import (
	"context"
	"strconv"

	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// The notice that the context fills up: each level once, armed anew by a fall of
// the usage and after compound (S1.4).
var _ = declareAnswer(wire.PressureNotice, answerKind{
	needs: pressureNeeds,
	derive: func(o *Owner, ctx context.Context, q question) (answer, error) {
		// A person asked for it, and the usage is told with the next prompt.
		if g, err := o.restored(q); err != nil || g.text != "" {
			return g, err
		}
		if g, err := o.resumed(ctx, q); err != nil || g.text != "" {
			return g, err
		}
		return o.pressure(q)
	},
})

var pressureNeeds = []projections.Projection{projections.Pressure, projections.Flow, projections.Answers, projections.SessionInfo}

func (o *Owner) pressure(q question) (answer, error) {
	p := projections.Pressure.In(q.fold)
	newest := uint64(0)
	if waiting := projections.Flow.In(q.fold).Waiting(); len(waiting) > 0 {
		newest = waiting[0].Seq
	}
	level, about, due := p.Due(newest)
	if !due || q.asked.Lane != "" {
		return answer{}, nil
	}
	text, err := recovery.Phrase(q.owed.Lang, "pressure-"+level, p)
	if err != nil {
		return answer{}, err
	}
	return q.notice("pressure", level, wire.ToModel, text, about,
		strconv.Itoa(p.Cycle), level, strconv.FormatUint(about, 10)), nil
}
