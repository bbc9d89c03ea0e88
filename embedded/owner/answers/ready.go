package answers

import (
	"context"
	"sync"
	"time"

	"journal/events"
	"journal/journal/wire"
	"journal/projections"
	"journal/replay/recovery"
)

// ready caches the newest text of each lane. Seconds pass between the hook that announces a compaction and the hook that gets the
// text, so the owner makes the text in between. It is used only if a text made at that moment would be the same.
type ready struct {
	mu    sync.Mutex
	lanes map[projections.Target]asker
}

// asker holds the newest request of a lane's agent for a text, and the newest text made for it.
type asker struct {
	request wire.AnswerRequest
	text    recovery.Made
}

func (r *ready) asker(t projections.Target) asker {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lanes[t]
}

func (r *ready) put(t projections.Target, latest asker) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.lanes[t]; r.lanes == nil || !known && len(r.lanes) >= liveLanes {
		r.lanes = map[projections.Target]asker{}
	}
	r.lanes[t] = latest
}

// Prepare makes the recovery text of a lane before it is requested, as if the lane's context restarted now.
func (a *Answers) Prepare(ctx context.Context, t projections.Target) error {
	q := question{request: a.ready.asker(t).request, settings: a.Settings()}
	if q.request.Kind == "" || q.settings.Template(q.request.Lang) != "" { // a person's own template is filled in for each request
		return nil
	}
	fold, err := a.folds.At(ctx, t, q.settings.Fold, a.Writer.Head())
	if err != nil {
		return err
	}
	about := events.Meta{ID: events.NewID(), At: time.Now().UnixNano(), Session: t.Session, Lane: t.Lane, Project: t.Project}
	if q.event, err = events.Wrap(events.ContextRestarted{}, about); err != nil {
		return err
	}
	q.event.Seq = fold.Seq() + 1
	if err := fold.Apply(q.event); err != nil {
		return err
	}
	if r := recovery.Of(fold); !r.Empty() && r.Compaction > projections.Answers.In(fold).Recovery {
		_, err = a.rendered(q, r, "")
	}
	return err
}
