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

// ErrNothing is returned if a session of a member left nothing unfinished in a project, or does not share it.
var ErrNothing = errors.New("nothing unfinished is offered")

// Work is the unfinished work of a session on another machine.
type Work struct {
	Member, Device, Project, Session string
	Left
	// Approved is the full text of the plan, empty for none.
	Approved string
	log      *journal.Log // in which the session is
}

// Find reads what a session of a member has left unfinished in a project of this log. session is the id of the session, or a
// prefix that no other session with unfinished work has. open returns the log of a copy. The error is ErrNothing or a
// journal.AmbiguousError.
func Find(ctx context.Context, hub *peers.Hub, own Project, member, session string, open func(peers.Copy) (*journal.Log, error)) (Work, error) {
	copies, err := hub.Copies(ctx, member)
	if err != nil {
		return Work{}, err
	}
	var all []Work
	var sessions []journal.Session
	for _, c := range copies {
		log, err := open(c)
		if err != nil {
			return Work{}, err
		}
		projects, err := Projects(ctx, log)
		if err != nil {
			return Work{}, err
		}
		for _, theirs := range projects {
			if !theirs.Context || !own.Identity.Same(theirs.Identity) {
				continue
			}
			f := projections.NewFold(projections.Target{Project: theirs.Key}, projections.Config{}, Needs...)
			if err := replay.Forward(ctx, log, f, c.Events); err != nil {
				return Work{}, err
			}
			for id, left := range LeftIn(f) {
				all = append(all, Work{Member: c.Member, Device: c.Device, Project: theirs.Key, Session: id, Left: left, log: log})
				sessions = append(sessions, journal.Session{ID: id, ByAgent: true})
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
	w := all[slices.IndexFunc(all, func(w Work) bool { return w.Session == s.ID })]
	w.Approved, err = w.approved(ctx)
	return w, err
}

// approved returns the full text of the plan, empty for none and for one that was forgotten.
func (w Work) approved(ctx context.Context) (string, error) {
	if w.Plan.Seq == 0 {
		return "", nil
	}
	for e, err := range w.log.Events(ctx, events.Span{After: w.Plan.Seq - 1, Until: w.Plan.Seq}) {
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
	takenPorts = 50  // bounds the units of work that are taken over at once
	takenItems = 100 // bounds the checklist of each
)

// Events returns the events that a session of this log records to continue the work: whose it was, and its whole state, because
// folds read one log alone. Their number is bounded, however much the other log holds.
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
