package answers

import (
	"context"
	"strconv"

	"journal/events"
	"journal/journal/wire"
	"journal/replay/recovery"
)

// guidance returns the facts that the summariser of a compaction should keep, once for each announcement of a compaction (S3.5). A person
// can turn it off. Without facts the answer is empty, because everything that the hook prints reaches the summariser.
func (a *Answers) guidance(_ context.Context, q question) (answer, error) {
	if q.settings.NoGuidance {
		return answer{}, nil
	}
	facts, err := recovery.Guidance(q.fold, q.request.Lang)
	return q.notice(events.NoticeGiven{Kind: "guidance", To: wire.ToSummariser}, facts, strconv.FormatUint(q.origin(), 10)), err
}
