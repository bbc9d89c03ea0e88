package owner

import (
	"context"

	"journal/events"
	"journal/projections"
	"journal/replay"
	"journal/replay/recovery"
)

// maxCarriedPlan bounds a plan that is carried, in bytes: an event has room for it and
// for a long list of todos.
const maxCarriedPlan = 256 << 10

// carry records what a session takes over from the one that /clear ended for it: the
// person cleared the context and goes on with the work. A running skill goes on, and
// open todos and the plan stand until it has its own. The caller holds the writer's mu.
func (o *Owner) carry(ctx context.Context, start *draft) error {
	if start.known || start.EchoOf != 0 {
		return nil
	}
	before, ok, err := o.before(ctx, start.target(), o.writer.head)
	if err != nil || !ok {
		return err
	}
	f, err := o.lane(ctx, before, o.writer.head)
	if err != nil {
		return err
	}
	var all []*draft
	add := func(ev events.Event, t events.Type) error {
		id := events.DerivedID(string(t), start.Project, start.Session, before.Session)
		if _, again := o.writer.places.get(id); again {
			return nil
		}
		d, err := draftOf(ev, events.Meta{
			ID: id, At: start.At, Agent: start.Agent, Session: start.Session, Project: start.Project,
			PID: start.PID, Cause: start.ID, N: len(all) + 1,
		})
		all = append(all, d)
		return err
	}
	if skill := projections.Phase.In(f); skill.Active() {
		if err := add(skill.ContinuedFrom(before.Session), events.TypeOf[events.SkillContinued]()); err != nil {
			return err
		}
	}
	plan := projections.Plan.In(f)
	open := events.SessionCarried{From: before.Session, Plan: plan.Text, File: plan.File}
	for _, t := range projections.Todos.In(f).Open() {
		open.Todos = append(open.Todos, events.Todo{Text: t.Text, Status: t.Status})
	}
	if len(open.Plan) > maxCarriedPlan {
		open.Plan = "" // it stands in its own event, and in its file
	}
	if open.Plan != "" || len(open.Todos) > 0 {
		if err := add(open, events.TypeOf[events.SessionCarried]()); err != nil {
			return err
		}
	}
	return o.writer.store(ctx, all...)
}

// before gives the session that one goes on from after a /clear, as of a sequence.
func (o *Owner) before(ctx context.Context, t projections.Target, seq uint64) (projections.Target, bool, error) {
	all, err := o.sessionsAt(ctx, seq)
	if err != nil {
		return projections.Target{}, false, err
	}
	ref, ok := all.Of(t.Project, t.Session)
	if !ok || ref.Link == nil || ref.Link.How != "clear" || ref.Link.Session == "" {
		return projections.Target{}, false, nil
	}
	return projections.Target{Project: t.Project, Session: ref.Link.Session}, true, nil
}

// sessionsAt gives all sessions as of a sequence.
func (o *Owner) sessionsAt(ctx context.Context, seq uint64) (projections.SessionsState, error) {
	f, err := o.chains.At(ctx, projections.Target{}, projections.Config{}, seq)
	if err != nil {
		return projections.SessionsState{}, err
	}
	return projections.Sessions.In(f), nil
}

// lane folds what the main thread of a session was at, as of a sequence.
func (o *Owner) lane(ctx context.Context, t projections.Target, seq uint64) (*projections.Fold, error) {
	f := projections.NewFold(t, projections.Config{}, recovery.PastNeeds...)
	return f, replay.Forward(ctx, o.log, f, seq)
}
