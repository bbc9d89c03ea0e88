package answers

import (
	"context"
	"strconv"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// cleared returns the notice that the client dropped a part of the context without a compaction, once.
func (a *Answers) cleared(_ context.Context, q question) (answer, error) {
	notice, newest, err := recovery.Cleared(q.fold, q.request.Lang, a.Command())
	return q.notice(events.NoticeGiven{Kind: "cleared", To: wire.ToModel, About: newest}, notice, strconv.FormatUint(newest, 10)), err
}

// pressure returns the notice of how full the context of a main lane is. Each level is due once; a fall of the usage and a compound make it
// due again (S1.4).
func (a *Answers) pressure(_ context.Context, q question) (answer, error) {
	if q.event.Lane != "" {
		return answer{}, nil
	}
	n, err := recovery.Pressure(q.fold, q.request.Lang)
	given := events.NoticeGiven{Kind: "pressure", Level: n.Level, To: wire.ToModel, About: n.About}
	return q.notice(given, n.Text, strconv.Itoa(n.Cycle), n.Level, strconv.FormatUint(n.About, 10)), err
}

// restored returns the text that a person restores to the agent (journal restore --inject), once.
func (a *Answers) restored(_ context.Context, q question) (answer, error) {
	s := projections.Answers.In(q.fold)
	if s.Restore == 0 {
		return answer{}, nil
	}
	text, err := recovery.Phrase(q.request.Lang, "restore", s.RestoreText)
	return q.notice(events.NoticeGiven{Kind: "restore", To: wire.ToModel, About: s.Restore}, text, strconv.FormatUint(s.Restore, 10)), err
}
