package transcripts

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"journal/events"
	"journal/journal"
	"journal/journal/agents/transcript"
	"journal/journal/redact"
	"journal/projections"
)

// Forks finds the parents of forked sessions: no hook names a parent, but the transcript of the fork shows it (ADR-0020, S3.8). It is a
// listener of the writer.
type Forks struct {
	log     *journal.Log
	writer  Writer
	onError func(error)
	work    chan search
	due     map[projections.Target]fork // forks whose parent the log lacks; guarded by the writer's lock
}

// NewForks returns the Forks of a log. Errors go to onError.
func NewForks(log *journal.Log, w Writer, onError func(error)) *Forks {
	return &Forks{log, w, onError, make(chan search, searches), map[projections.Target]fork{}}
}

// fork is a forked session whose parent the log lacks.
type fork struct {
	agent, transcript string // transcript is a path
	began             time.Time
	settled           bool // a turn or the session has ended: if the transcript does not show the parent now, it never will
}

// search is a request for the parent of one fork.
type search struct {
	target projections.Target
	fork   fork
}

// searches bounds the requests that wait for Run. Many forks may begin at once.
const searches = 64

// Remember receives an event that the log held when the owner started.
func (f *Forks) Remember(e events.Envelope) {
	if e.Lane != "" || e.EchoOf != 0 {
		return
	}
	target := projections.Target{Project: e.Project, Session: e.Session}
	if start, ok := events.As[events.SessionStarted](e); ok && start.Source == "fork" {
		f.due[target] = fork{agent: e.Agent, transcript: start.Transcript, began: time.Unix(0, e.At)}
	}
	if namesParent(e) {
		delete(f.due, target)
	}
	switch e.Type {
	case events.TypeOf[events.TurnEnded](), events.TypeOf[events.TurnFailed](), events.TypeOf[events.SessionEnded]():
		if child, due := f.due[target]; due {
			child.settled = true
			f.due[target] = child
		}
	}
}

// Stored receives an event that was just stored, and requests a search when the transcript may show the parent. The search after the end of
// the first turn is not settled, because the agent may not have written its rows yet. At the end of a session everything is written.
func (f *Forks) Stored(e events.Envelope) {
	target := projections.Target{Project: e.Project, Session: e.Session, Lane: e.Lane}
	child, due := f.due[target]
	f.Remember(e)
	ended := e.Type == events.TypeOf[events.SessionEnded]()
	if !due || e.EchoOf != 0 || !contextShown[e.Type] && !ended {
		return
	}
	child.settled = child.settled || ended
	select {
	case f.work <- search{target, child}:
	default: // the next event retries
	}
}

// Run handles the requests until ctx ends. Appenders do not wait for it.
func (f *Forks) Run(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case s := <-f.work:
			err := f.record(ctx, s)
			absent := errors.Is(err, fs.ErrNotExist)
			if err != nil && !absent && ctx.Err() == nil { // the next event retries
				f.onError(fmt.Errorf("find the parent of session %s: %w", s.target.Session, err))
			}
			if err == nil || absent && s.fork.settled {
				f.writer.Lock()
				delete(f.due, s.target)
				f.writer.Unlock()
			}
		}
	}
}

// record records the parent of a fork, unless the log has it. The error is fs.ErrNotExist as long as the transcript does not show the
// parent.
func (f *Forks) record(ctx context.Context, s search) error {
	format, err := transcript.Named(s.fork.agent)
	if err != nil || format.Parent == nil {
		return nil
	}
	linked, err := f.linked(ctx, s.target) // an import may have recorded the parent
	if err != nil || linked {
		return err
	}
	parent, row, err := format.Parent(s.fork.transcript, s.fork.began)
	if err != nil || parent == "" {
		return err
	}
	ev := events.MapText(events.SessionLinked{Session: parent, How: "fork", Row: row}, redact.Text)
	return f.writer.Record(ctx, s.target, s.fork.agent, events.ForkID(s.target.Project, s.target.Session), ev)
}

// linked reports whether the log has the parent of a session.
func (f *Forks) linked(ctx context.Context, t projections.Target) (bool, error) {
	links := events.Selector{Project: t.Project, Session: t.Session, Type: events.TypeOf[events.SessionLinked]()}
	for e, err := range f.log.Events(ctx, events.Span{}, links) {
		if err != nil {
			return false, err
		}
		if namesParent(e) {
			return true, nil
		}
	}
	return false, nil
}

// namesParent reports whether an event names the parent of a forked session.
func namesParent(e events.Envelope) bool {
	link, ok := events.As[events.SessionLinked](e)
	return ok && link.How == "fork"
}
