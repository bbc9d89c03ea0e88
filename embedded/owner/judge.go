package owner

import (
	"context"
	"fmt"

	"journal/events"
	"journal/events/text"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/audit"
)

// judge records the verdicts of a judge about a compaction. It leaves out a verdict that a thing was kept if the quoted words are not in
// the summary, and adds the number of these to Refused.
func (o *Owner) judge(ctx context.Context, r wire.JudgeRequest) error {
	summary, err := o.summary(ctx, r)
	if err != nil {
		return err
	}
	j := r.Judged
	j.Verdicts = nil
	for _, v := range r.Judged.Verdicts {
		if v.Answer == audit.JudgedKept {
			if _, _, ok := audit.Quoted(summary, v.Quote); !ok {
				j.Refused++
				continue
			}
		}
		j.Verdicts = append(j.Verdicts, v)
	}
	t := projections.Target{Project: r.Project, Session: r.Session, Lane: r.Lane}
	return o.writer.Record(ctx, t, "", events.NewID(), j)
}

// summary returns the text of the summary that was judged. It returns an error if the verdicts name no event, or the log has another text
// at that event.
func (o *Owner) summary(ctx context.Context, r wire.JudgeRequest) (string, error) {
	if r.Judged.Summary == 0 {
		return "", fmt.Errorf("the verdicts name no summary")
	}
	span := events.Span{After: r.Judged.Summary - 1, Until: r.Judged.Summary}
	for e, err := range o.log.Events(ctx, span, events.Selector{Project: r.Project, Session: r.Session}) {
		if err != nil {
			return "", err
		}
		summary, err := audit.SummaryIn(e)
		if err == nil && text.Digest(summary) == r.Judged.Digest {
			return summary, nil
		}
	}
	return "", fmt.Errorf("event %d of session %s is not the summary that was judged; run journal audit --judge again", r.Judged.Summary, r.Session)
}
