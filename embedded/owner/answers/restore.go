package answers

import (
	"strconv"

	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// restored gives what a person asked to be given back to the agent, with the next
// prompt and once (journal restore --inject).
func (a *Answers) restored(q question) (answer, error) {
	s := projections.Answers.In(q.fold)
	if s.Restore == 0 {
		return answer{}, nil
	}
	text, err := recovery.Phrase(q.owed.Lang, "restore", s.RestoreText)
	if err != nil {
		return answer{}, err
	}
	return q.notice("restore", "", wire.ToModel, text, s.Restore, strconv.FormatUint(s.Restore, 10)), nil
}
