package owner

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"journal/events"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay"
)

// answer derives what an agent is owed as of its own event, and claims it: of
// two askers for one answer, one gets it (DECISIONS 2.5). At most once is
// preferred to twice.
func (o *Owner) answer(ctx context.Context, owed wire.Owed) (string, error) {
	if owed.Kind != wire.RecoveryText {
		return "", nil // a newer asker's wish
	}
	o.appending.Lock()
	seq, ok := o.placed.get(owed.Event)
	o.appending.Unlock()
	if !ok {
		return "", fmt.Errorf("answer: event %s is not in the log", owed.Event)
	}
	for e, err := range o.log.Events(ctx, events.Span{After: seq - 1, Until: seq}) {
		if err != nil {
			return "", fmt.Errorf("answer: %w", err)
		}
		return o.recovery(ctx, owed, e)
	}
	return "", nil
}

func (o *Owner) recovery(ctx context.Context, owed wire.Owed, asked events.Envelope) (string, error) {
	settings := o.config.Settings()
	target := projections.Target{Project: asked.Project, Session: asked.Session, Lane: asked.Lane}
	fold := projections.NewFold(target, settings.Fold, replay.Needs()...)
	if err := replay.Forward(ctx, o.log, fold, asked.Seq); err != nil {
		return "", err
	}
	r := replay.RecoveryOf(fold)
	again := asked.Type != events.TypeOf[events.ContextRestarted]()
	switch {
	case r.Compaction == 0, r.Empty():
		return "", nil
	case !again && projections.Answers.In(fold).Recovery >= r.Compaction:
		return "", nil
	}
	t, err := replay.Template(owed.Lang, settings.Template(owed.Lang))
	if err != nil {
		// A person's broken template must not cost the agent its memory.
		o.trouble(err)
		if t, err = replay.Template(owed.Lang, ""); err != nil {
			return "", err
		}
	}
	text, err := replay.Render(r, t, replay.Limit{Units: owed.Units, Vital: owed.Vital})
	if err != nil || text.Text == "" {
		return "", err
	}
	claim := []string{"recovery", asked.Project, asked.Session, asked.Lane, strconv.Itoa(r.Compaction)}
	if again {
		// Once per resumption; its echo asks under the original's sequence.
		origin := asked.Seq
		if asked.EchoOf != 0 {
			origin = asked.EchoOf
		}
		claim = append(claim, strconv.FormatUint(origin, 10))
	}
	e, err := events.Wrap(events.RecoveryGiven{
		Compaction: r.Compaction, AsOf: r.AsOf, Lang: owed.Lang, Units: text.Units,
		Digest: text.Digest, Items: text.Items, Resume: again,
	}, events.Meta{
		ID: events.DerivedID(claim...), At: time.Now().UnixNano(), Agent: asked.Agent,
		Session: asked.Session, Lane: asked.Lane, Project: asked.Project, Turn: asked.Turn,
		Cause: asked.ID, Rules: int(redact.RuleSet),
	})
	if err != nil {
		return "", err
	}
	o.appending.Lock()
	defer o.appending.Unlock()
	ctx, cancel := context.WithTimeout(ctx, storeWait)
	defer cancel()
	place, taken, err := o.log.Append(ctx, e)
	if err != nil || taken {
		return "", err
	}
	o.head = max(o.head, place)
	return text.Text, nil
}
