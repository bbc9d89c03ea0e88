package owner

import (
	"context"
	"strconv"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay"
)

// The recovery text of a compaction: once, and again at the resumption of a
// session by a client that loses it (ADR-0019 rule 5).
var _ = declareAnswer(wire.RecoveryText, answerKind{needs: replay.Needs(), derive: (*Owner).recovery})

func (o *Owner) recovery(_ context.Context, q question) (answer, error) {
	r := replay.RecoveryOf(q.fold)
	again := q.asked.Type != events.TypeOf[events.ContextRestarted]()
	if r.Compaction == 0 || r.Empty() || !again && projections.Answers.In(q.fold).Recovery >= r.Compaction {
		return answer{}, nil
	}
	text, err := q.rendered(r, q.settings.Template(q.owed.Lang))
	if err != nil {
		// A person's broken template must not cost the agent its memory.
		o.trouble(err)
		if text, err = q.rendered(r, ""); err != nil {
			return answer{}, err
		}
	}
	claim := []string{strconv.Itoa(r.Compaction)}
	if again {
		claim = append(claim, strconv.FormatUint(q.origin(), 10))
	}
	return answer{
		text: text.Text, to: wire.ToModel, claim: claim,
		event: events.RecoveryGiven{
			Compaction: r.Compaction, AsOf: r.AsOf, Lang: q.owed.Lang, Units: text.Units,
			Digest: text.Digest, Items: text.Items, Partial: text.Partial, Resume: again,
		},
	}, nil
}

// rendered gives the text of a recovery by a person's own template, or by the
// built-in one when source is empty.
func (q question) rendered(r replay.Recovery, source string) (replay.Text, error) {
	t, err := replay.Template(q.owed.Lang, source)
	if err != nil {
		return replay.Text{}, err
	}
	return replay.Render(r, t, replay.Limit{Units: q.owed.Units, Vital: q.owed.Vital})
}
