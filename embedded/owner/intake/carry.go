package intake

import (
	"context"

	"journal/embedded/owner/writer"
	"journal/events"
)

// maxCarriedPlan bounds a carried plan, in bytes, so that an event has room for it and a long list of todos.
const maxCarriedPlan = 256 << 10

// carry records the work that a session takes over from the session that it continues after a /clear: a running skill, open todos and the
// plan. The person cleared the context and goes on with that work. carry also does this for a start that the log already holds, because the
// owner may have been killed after storing the start. The caller holds the writer's lock.
func (in *Intake) carry(ctx context.Context, start *writer.Draft) error {
	if start.EchoOf != 0 {
		return nil
	}
	before, ok, err := in.sessions.Cleared(ctx, start.Target(), in.writer.Newest())
	if err != nil || !ok {
		return err
	}
	past, err := in.sessions.Past(ctx, before, in.writer.Newest())
	if err != nil {
		return err
	}
	var all []*writer.Draft
	add := func(ev events.Event, t events.Type) error {
		d, err := writer.DraftOf(ev, events.Meta{
			ID: events.DerivedID(string(t), start.Project, start.Session, before.Session), At: start.At, Agent: start.Agent, Session: start.Session, Project: start.Project,
			PID: start.PID, Cause: start.ID, N: len(all) + 1,
		})
		if err != nil {
			return err
		}
		all = append(all, d)
		return nil
	}
	if past.Skill.Active() {
		if err := add(past.Skill.ContinuedFrom(before.Session), events.TypeOf[events.SkillContinued]()); err != nil {
			return err
		}
	}
	carried := events.SessionCarried{From: before.Session, Plan: past.Plan.Text, File: past.Plan.File}
	for _, t := range past.Todos {
		carried.Todos = append(carried.Todos, events.Todo{Text: t.Text, Status: t.Status})
	}
	if len(carried.Plan) > maxCarriedPlan {
		carried.Plan = "" // the event of the plan and the plan's file still hold it
	}
	if carried.Plan != "" || len(carried.Todos) > 0 {
		if err := add(carried, events.TypeOf[events.SessionCarried]()); err != nil {
			return err
		}
	}
	// Store skips the events that lookUp finds in the log: this may be the second time for this start.
	if err := in.part(spooled{report: all}).lookUp(ctx); err != nil {
		return err
	}
	return in.writer.Store(ctx, all...)
}
