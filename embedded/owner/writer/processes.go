package writer

import (
	"context"
	"errors"
	"time"

	"journal/embedded/owner/draft"
	"journal/events"
	"journal/journal"
	"journal/journal/wire/client"
	"journal/journal/wire/proc"
)

// processes holds the agent's process of each session that has not ended, by project and session. A project is read from the
// log when it is first needed.
type processes map[string]map[string]agentProcess

// agentProcess is the process in which a session was last started.
type agentProcess struct {
	pid      int
	identity string
	agent    string
}

// lives are the events from which a session's process is known.
var lives = []events.Type{
	events.TypeOf[events.SessionStarted](), events.TypeOf[events.SessionEnded](), events.TypeOf[events.SessionGone](),
}

// note takes an event of the log.
func (p processes) note(e events.Envelope) {
	if of := p[e.Project]; of != nil {
		noteLife(of, e)
	}
}

func noteLife(of map[string]agentProcess, e events.Envelope) {
	if e.Lane != "" || e.EchoOf != 0 {
		return
	}
	switch e.Type {
	case events.TypeOf[events.SessionEnded](), events.TypeOf[events.SessionGone]():
		delete(of, e.Session)
	case events.TypeOf[events.SessionStarted]():
		delete(of, e.Session)
		ev, err := events.Open(e)
		if s, ok := ev.(events.SessionStarted); err == nil && ok && s.Process != "" {
			of[e.Session] = agentProcess{e.PID, s.Process, e.Agent}
		}
	}
}

// processesOf returns the processes of a project.
func (w *Writer) processesOf(ctx context.Context, project string) (map[string]agentProcess, error) {
	if of := w.processes[project]; of != nil {
		return of, nil
	}
	of := map[string]agentProcess{}
	var selectors []events.Selector
	for _, t := range lives {
		selectors = append(selectors, events.Selector{Project: project, Type: t})
	}
	for e, err := range w.Log.Events(ctx, events.Span{Until: w.head}, selectors...) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			w.Trouble(err)
			break // what a session left is then offered by its age
		}
		if err != nil {
			return nil, err
		}
		noteLife(of, e)
	}
	w.processes[project] = of
	return of, nil
}

// Reap records which sessions of a project are gone, so that their unfinished work is offered
// at once to the next session (S3.3). The caller holds the lock.
func (w *Writer) Reap(ctx context.Context, project string) error {
	of, err := w.processesOf(ctx, project)
	if err != nil || client.Paused(w.Dir, project) {
		return err
	}
	var gone []*draft.Draft
	for session, p := range of {
		evidence := proc.Gone(p.pid, p.identity)
		if evidence == "" {
			continue
		}
		d, err := draft.Of(events.SessionGone{PID: p.pid, Evidence: evidence}, events.Meta{
			ID: events.DerivedID("session.gone", project, session, p.identity), At: time.Now().UnixNano(),
			Agent: p.agent, Session: session, Project: project,
		})
		if err != nil {
			return err
		}
		gone = append(gone, d)
	}
	return w.Store(ctx, gone...)
}

// ReapAll is Reap for every project in which a session began while this owner ran.
func (w *Writer) ReapAll(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for project := range w.processes {
		if err := w.Reap(ctx, project); err != nil {
			w.Trouble(err)
		}
	}
}
