package owner

import (
	"context"
	"strconv"

	"journal/journal/wire"
	"journal/replay/recovery"
)

// guidanceUnits bounds the guidance: it is added to the summariser's prompt, and
// a manual compaction shows it to the model once more (ADR-0033).
const guidanceUnits = 2000

// What the summariser of a compaction should keep, once per intention (S3.5).
// On by default; with nothing to say there is not one byte, because everything a
// hook prints there reaches the summariser.
var _ = declareAnswer(wire.Guidance, answerKind{needs: recovery.Needs(), derive: (*Owner).guidance})

func (o *Owner) guidance(_ context.Context, q question) (answer, error) {
	if q.settings.NoGuidance {
		return answer{}, nil
	}
	r := recovery.Of(q.fold).Pressing()
	t, err := recovery.GuidanceTemplate(q.owed.Lang)
	if err != nil {
		return answer{}, err
	}
	text, err := recovery.Render(r, t, recovery.Limit{Units: guidanceUnits, Vital: guidanceUnits})
	if err != nil {
		return answer{}, err
	}
	return q.notice("guidance", "", wire.ToSummariser, text.Text, 0, strconv.FormatUint(q.origin(), 10)), nil
}
