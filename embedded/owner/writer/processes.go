package writer

import (
	"context"
	"time"

	"journal/events"
	"journal/journal/wire/client"
	"journal/journal/wire/proc"
)

// processes holds the agent's process of each session that has not ended, by project and session. A project is read from the log at its
// first use.
type processes map[string]map[string]agentProcess

// agentProcess is the process in which a session was last started.
type agentProcess struct {
	pid      int
	identity string // see package proc
	agent    string
}

// note records an event of the log.
func (p processes) note(e events.Envelope) {
	running := p[e.Project]
	if running == nil || e.Lane != "" || e.EchoOf != 0 {
		return
	}
	switch e.Type {
	case events.TypeOf[events.SessionStarted](), events.TypeOf[events.SessionEnded](), events.TypeOf[events.SessionGone]():
		delete(running, e.Session)
	}
	if s, ok := events.As[events.SessionStarted](e); ok && s.Process != "" {
		running[e.Session] = agentProcess{e.PID, s.Process, e.Agent}
	}
}

// Reap records which sessions of a project have no process any more, so that their unfinished work is offered at once to the next session
// (S3.3). The caller holds the lock.
func (w *Writer) Reap(ctx context.Context, project string) error {
	// After a damaged record the processes of sessions are not known. Their unfinished work is then offered after recovery.Silence.
	running, err := projectEntry(ctx, w, w.processes, w.processes.note, project,
		events.TypeOf[events.SessionStarted](), events.TypeOf[events.SessionEnded](), events.TypeOf[events.SessionGone]())
	if err != nil || client.Paused(w.Dir, project) {
		return err
	}
	var drafts []*Draft
	for session, p := range running {
		evidence := proc.Gone(p.pid, p.identity)
		if evidence == "" {
			continue
		}
		d, err := DraftOf(events.SessionGone{PID: p.pid, Evidence: evidence}, events.Meta{
			ID: events.DerivedID("session.died", project, session, p.identity), At: time.Now().UnixNano(),
			Agent: p.agent, Session: session, Project: project,
		})
		if err != nil {
			return err
		}
		drafts = append(drafts, d)
	}
	return w.Store(ctx, drafts...)
}

// ReapAll calls Reap for the projects for which this owner has called it before: those in which a session began since the owner started.
func (w *Writer) ReapAll(ctx context.Context) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for project := range w.processes {
		if err := w.Reap(ctx, project); err != nil {
			w.OnError(err)
		}
	}
}
