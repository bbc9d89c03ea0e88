package handover

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/nats-io/nats.go"

	"journal/events"
	"journal/journal"
	"journal/journal/team/peers"
	"journal/projections"
	"journal/replay"
)

// ErrNothing is returned when a member has left nothing in a project, or does not offer it.
var ErrNothing = errors.New("nothing unfinished is offered")

// Work is what a session on another machine has left unfinished.
type Work struct {
	Member, Device, Project, Session string
	Left
}

// Find asks what a session of a member has left in a project of this log. The session is named by its
// id or by a beginning of it that no other of those sessions has; the error is ErrNothing or a
// journal.AmbiguousError.
func Find(ctx context.Context, nc *nats.Conn, own Project, member, session string) (Work, error) {
	copies, err := peers.Of(ctx, nc, member)
	if err != nil {
		return Work{}, err
	}
	own.Offered, own.Decided = true, false
	var all []Work
	var sessions []journal.Session
	for _, c := range copies {
		p := place{Copy: c}
		if p.projects, err = Projects(ctx, c.Log()); err != nil {
			return Work{}, err
		}
		for _, theirs := range p.matching([]Project{own}) {
			f := projections.NewFold(projections.Target{Project: theirs.Key}, projections.Config{}, Needs...)
			if err := replay.Forward(ctx, c.Log(), f, c.Events); err != nil {
				return Work{}, err
			}
			for id, left := range LeftIn(f) {
				all = append(all, Work{c.Member, c.Device, theirs.Key, id, left})
				sessions = append(sessions, journal.Session{ID: id, Told: true})
			}
		}
	}
	s, err := journal.Named(sessions, session)
	if errors.Is(err, journal.ErrNoSession) {
		return Work{}, fmt.Errorf("%w by session %s of %s", ErrNothing, session, member)
	}
	if err != nil {
		return Work{}, err
	}
	return all[slices.IndexFunc(all, func(w Work) bool { return w.Session == s.ID })], nil
}

// Events are what a session of this log records to go on with the work: who left it, and all of its
// state, because nothing of another log is read as this one's.
func (w Work) Events() []events.Event {
	taken := events.HandoverTaken{Member: w.Member, Device: w.Device, Project: w.Project, Session: w.Session, AsOf: w.AsOf}
	var all []events.Event
	if w.Skill.Active() {
		taken.Skill = w.Skill.Skill
		all = append(all, w.Skill.ContinuedFrom(w.Session))
	}
	for _, p := range w.Ports {
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
