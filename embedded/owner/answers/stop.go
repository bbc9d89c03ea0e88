package answers

import (
	"context"
	"strconv"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// stop returns the advice at the end of a turn that working notes wait to be promoted. Each set of notes has one such advice in all
// sessions of the project. Its receiver is the person or, by Settings.Stop, the model, which then starts another turn (S1.2).
func (a *Answers) stop(_ context.Context, q question) (answer, error) {
	to := wire.ToPerson
	switch q.settings.Stop {
	case "model":
		to = wire.ToModel
	case "off":
		return answer{}, nil
	}
	advice, newest, err := recovery.Stop(q.fold, q.request.Lang)
	result := q.notice(events.NoticeGiven{Kind: "stop", To: to, About: newest}, advice, strconv.FormatUint(newest, 10))
	result.scope = projections.Project
	return result, err
}
