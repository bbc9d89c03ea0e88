package colleagues

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"journal/embedded/team/peers"
	"journal/events"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// ErrNothing is returned when a member has left nothing in a project, or does not offer it.
var ErrNothing = errors.New("nothing unfinished is offered")

// Work is the unfinished work of a session on another machine.
type Work struct {
	Member, Device, Project, Session string
	Left
	// Approved is the plan whole, empty for none.
	Approved string
}

// Find asks what a session of a member has left in a project of this log. The session is named by its
// id or by a beginning of it that no other of those sessions has; the error is ErrNothing or a
// journal.AmbiguousError.
func Find(ctx context.Context, hub *peers.Hub, own Project, member, session string) (Work, error) {
	copies, err := hub.Of(ctx, member)
	if err != nil {
		return Work{}, err
	}
	var all []Work
	var sessions []journal.Session
	var logs []*journal.Log
	for _, c := range copies {
		log, err := c.Log(ctx)
		if err != nil {
			return Work{}, err
		}
		projects, err := Projects(ctx, log)
		if err != nil {
			return Work{}, err
		}
		for _, theirs := range projects {
			if !theirs.Context || !own.Is.Same(theirs.Is) {
				continue
			}
			f := projections.NewFold(projections.Target{Project: theirs.Key}, projections.Config{}, Needs...)
			if err := replay.Forward(ctx, log, f, c.Events); err != nil {
				return Work{}, err
			}
			for id, left := range LeftIn(f) {
				all = append(all, Work{Member: c.Member, Device: c.Device, Project: theirs.Key, Session: id, Left: left})
				sessions = append(sessions, journal.Session{ID: id, ByAgent: true})
				logs = append(logs, log)
			}
		}
	}
	s, err := journal.FindSession(sessions, session)
	if errors.Is(err, journal.ErrNoSession) {
		return Work{}, fmt.Errorf("%w by session %s of %s", ErrNothing, session, member)
	}
	if err != nil {
		return Work{}, err
	}
	i := slices.IndexFunc(all, func(w Work) bool { return w.Session == s.ID })
	all[i].Approved, err = approved(ctx, logs[i], all[i].Plan)
	return all[i], err
}

// approved returns a plan whole, out of the log that has it; empty for none, and for one that was forgotten
// meanwhile.
func approved(ctx context.Context, log *journal.Log, p projections.SessionPlan) (string, error) {
	if p.Seq == 0 {
		return "", nil
	}
	for e, err := range log.Events(ctx, events.Span{After: p.Seq - 1, Until: p.Seq}) {
		if err != nil {
			return "", err
		}
		switch ev, err := events.Open(e); ev := ev.(type) {
		case events.PlanApproved:
			return ev.Text, err
		case events.SessionCarried:
			return ev.Plan, err
		case events.HandoverTaken:
			return ev.Plan, err
		}
	}
	return "", nil
}

const (
	takenPorts = 50  // units of work that are taken over at once
	takenItems = 100 // of the checklist of one
)

// Events returns the events that a session of this log records to continue the work: who left it, and all of its
// state, because nothing of another log is read as this one's. It is bounded, however much the other log holds.
func (w Work) Events() []events.Event {
	taken := events.HandoverTaken{Member: w.Member, Device: w.Device, Project: w.Project, Session: w.Session, AsOf: w.AsOf, Plan: w.Approved}
	var all []events.Event
	if w.Skill.Active() {
		taken.Skill = w.Skill.Skill
		all = append(all, w.Skill.ContinuedFrom(w.Session))
	}
	for _, p := range w.Ports[:min(len(w.Ports), takenPorts)] {
		p.Items = p.Items[:min(len(p.Items), takenItems)]
		taken.Ports = append(taken.Ports, p.ID)
		def := events.PortDefined{Port: p.ID, Title: p.Title, After: p.After}
		for _, item := range p.Items {
			def.Items = append(def.Items, item.Text)
		}
		all = append(all, def)
		for _, item := range p.Items {
			if item.Done {
				all = append(all, events.PortTicked{Port: p.ID, Item: item.Text})
			}
		}
		all = append(all, events.PortChanged{Port: p.ID, Status: "running"})
	}
	return slices.Insert(all, 0, events.Event(taken))
}
