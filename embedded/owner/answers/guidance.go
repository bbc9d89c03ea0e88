package answers

import (
	"context"
	"strconv"

	"journal/journal/wire"
	"journal/replay/recovery"
)

// guidance returns the facts that the summariser of a compaction should keep, once for each announcement of a compaction (S3.5). It is on
// by default. Without facts it is empty: everything that the hook prints reaches the summariser.
func (a *Answers) guidance(_ context.Context, q question) (answer, error) {
	if q.settings.NoGuidance {
		return answer{}, nil
	}
	words, err := recovery.Guidance(q.fold, q.request.Lang)
	return q.notice("guidance", "", wire.ToSummariser, words, 0, strconv.FormatUint(q.origin(), 10)), err
}
