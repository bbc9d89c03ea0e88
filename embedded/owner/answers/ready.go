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

// ready caches the newest recovery text of a few lanes. Seconds pass between the hook that announces a compaction and the hook that gets
// the text, so the owner makes the text in between. The cached text is used only if a text made at the request would be the same.
type ready struct {
	mu    sync.Mutex
	lanes map[projections.Target]prepared
}

// prepared holds the newest request of a lane's agent for an answer, and the newest recovery text made for it.
type prepared struct {
	request wire.AnswerRequest
	text    recovery.Made
}

// get returns the cached request and text of a lane, the zero value if there are none.
func (r *ready) get(t projections.Target) prepared {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.lanes[t]
}

// put replaces the cached request and text of a lane. If too many lanes are cached, it drops all others.
func (r *ready) put(t projections.Target, latest prepared) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, cached := r.lanes[t]; r.lanes == nil || !cached && len(r.lanes) >= liveLanes {
		r.lanes = map[projections.Target]prepared{}
	}
	r.lanes[t] = latest
}

// Prepare makes the recovery text of a lane before it is requested, as if the lane's context restarted now. It makes none for a lane whose
// agent has asked for nothing yet.
func (a *Answers) Prepare(ctx context.Context, t projections.Target) error {
	q := question{request: a.ready.get(t).request, settings: a.Settings()}
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
	fold.Apply(q.event)
	if r := recovery.Of(fold); !r.Empty() && r.Compaction > projections.Answers.In(fold).Recovery {
		_, err = a.rendered(q, r, "")
	}
	return err
}
