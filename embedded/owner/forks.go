package owner

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"journal/events"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
	"journal/projections"
)

// forks knows the sessions that are forks and whose parent the log does not tell: no
// hook names it, the transcript shows it (ADR-0020, S3.8).
type forks struct {
	due  map[projections.Target]fork
	work chan search
}

// fork is a session that waits for its parent.
type fork struct {
	agent, transcript string
	began             time.Time
	settled           bool // it is to be known by now
}

// search asks for the parent of one fork.
type search struct {
	target projections.Target
	fork   fork
}

// searches is how many wait at most: those of many forks that begin at once.
const searches = 64

// seen takes an event of the log. The caller holds the writer's mu, or nobody appends
// yet.
func (f *forks) seen(e events.Envelope) {
	if e.Lane != "" || e.EchoOf != 0 {
		return
	}
	target := projections.Target{Project: e.Project, Session: e.Session}
	switch e.Type {
	case events.TypeOf[events.SessionStarted](), events.TypeOf[events.SessionLinked]():
		ev, err := events.Open(e)
		if err != nil {
			return // for verify
		}
		switch ev := ev.(type) {
		case events.SessionStarted:
			if ev.Source == "fork" {
				f.due[target] = fork{agent: e.Agent, transcript: ev.Transcript, began: time.Unix(0, e.At)}
			}
		case events.SessionLinked:
			if ev.How == "fork" {
				delete(f.due, target)
			}
		}
	case events.TypeOf[events.TurnEnded](), events.TypeOf[events.TurnFailed](), events.TypeOf[events.SessionEnded]():
		if one, due := f.due[target]; due {
			one.settled = true
			f.due[target] = one
		}
	}
}

// note takes an event that was stored now, and sends for the parent when the
// transcript may show it. At the end of a turn the agent may not have written its
// rows yet, so that nothing is settled before the event after it; with the end of
// the session it has. The caller holds the writer's mu.
func (f *forks) note(e events.Envelope) {
	target := projections.Target{Project: e.Project, Session: e.Session, Lane: e.Lane}
	one, due := f.due[target]
	f.seen(e)
	ended := e.Type == events.TypeOf[events.SessionEnded]()
	if !due || e.EchoOf != 0 || !shown[e.Type] && !ended {
		return
	}
	one.settled = one.settled || ended
	select {
	case f.work <- search{target, one}:
	default: // the next event asks again
	}
}

// linking searches until ctx ends. Appenders must not wait for the reading of transcripts.
func (o *Owner) linking(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-o.writer.forks.work:
			err := o.link(ctx, s)
			early := errors.Is(err, fs.ErrNotExist)
			if err != nil && !early && ctx.Err() == nil {
				o.trouble(fmt.Errorf("parent of session %s: %w", s.target.Session, err))
			}
			if !early || s.fork.settled {
				o.writer.mu.Lock()
				delete(o.writer.forks.due, s.target)
				o.writer.mu.Unlock()
			}
		}
	}
}

// link records the parent of a fork, if somebody can tell it. The error is
// fs.ErrNotExist as long as its transcript cannot.
func (o *Owner) link(ctx context.Context, s search) error {
	format, err := transcript.Of(s.fork.agent)
	if err != nil || format.Parent == nil {
		return nil
	}
	// An import may have found it.
	linked, err := o.linked(ctx, s.target)
	if err != nil || linked {
		return err
	}
	parent, row, err := format.Parent(s.fork.transcript, s.fork.began)
	if err != nil || parent == "" {
		return err
	}
	ev := events.MapText(events.SessionLinked{Session: parent, How: "fork", Row: row}, redact.Text)
	return o.record(ctx, s.target, s.fork.agent, events.ForkID(s.target.Project, s.target.Session), ev)
}

// linked says whether the log tells the parent of a session.
func (o *Owner) linked(ctx context.Context, t projections.Target) (bool, error) {
	links := events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.SessionLinked]()}
	for e, err := range o.log.Events(ctx, events.Span{}, links) {
		if err != nil {
			return false, err
		}
		if ev, err := events.Open(e); err == nil {
			if l, ok := ev.(events.SessionLinked); ok && l.How == "fork" {
				return true, nil
			}
		}
	}
	return false, nil
}
