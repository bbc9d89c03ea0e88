package owner

import (
	"cmp"
	"context"
	"slices"
	"time"

	"journal/journal"
	"journal/journal/team"
	"journal/projections"
)

// silence is after how long without an event a session counts as left: its agent does
// not work then, and a person who reads or thinks comes back sooner.
const silence = 30 * time.Minute

// decisionAge is how old a decision may be that a session is told of at its start;
// older ones are found by searching.
const decisionAge = 7 * 24 * time.Hour

// maxPast bounds the sessions that are looked at for one that left something, the
// newest first.
const maxPast = 16

// cleared gives what the session before a /clear was at, nil when that is not known or
// there was nothing.
func (o *Owner) cleared(ctx context.Context, q question) (*pastWork, error) {
	t := projections.Target{Project: q.asked.Project, Session: q.asked.Session}
	before, ok, err := o.before(ctx, t, q.fold.Seq())
	if err != nil || !ok {
		return nil, err
	}
	w, err := o.past(ctx, q, before)
	if err != nil || w.Request.Text == "" && len(w.Todos) == 0 && w.Plan.Text == "" && !w.Skill.Active() {
		return nil, err
	}
	return w, nil
}

// earlier gives what the project's newest other session was at that has ended, whose
// process is gone, or that was silent for a while; nil when there was nothing.
func (o *Owner) earlier(ctx context.Context, q question) (*pastWork, error) {
	all, err := o.sessionsAt(ctx, q.fold.Seq())
	if err != nil {
		return nil, err
	}
	var found []projections.SessionRef
	looked := 0
	for ref := range all.Backward() {
		if ref.Project != q.asked.Project || ref.Session == q.asked.Session {
			continue
		}
		if looked++; looked > maxPast {
			break
		}
		if !ref.Ended {
			last, err := o.log.LastOf(ctx, journal.Session{Project: ref.Project, ID: ref.Session})
			if err != nil {
				return nil, err
			}
			if !ref.Gone && time.Duration(q.asked.At-last.At) < silence {
				continue
			}
			ref.LastSeq, ref.LastAt = last.Seq, projections.Stamp(last.At)
		}
		found = append(found, ref)
	}
	slices.SortStableFunc(found, func(a, b projections.SessionRef) int { return cmp.Compare(b.LastSeq, a.LastSeq) })
	for _, ref := range found {
		w, err := o.past(ctx, q, projections.Target{Project: ref.Project, Session: ref.Session})
		if err != nil {
			return nil, err
		}
		if w.Request.Text != "" || len(w.Todos) > 0 {
			w.Plan = projections.PlanState{} // it was approved for that session
			w.Agent, w.Ended, w.Gone = ref.Agent, ref.Ended, ref.Gone
			w.Ago = max(0, time.Duration(q.asked.At-int64(ref.LastAt)))
			return w, nil
		}
	}
	return nil, nil
}

// past gives what a session was at.
func (o *Owner) past(ctx context.Context, q question, t projections.Target) (*pastWork, error) {
	f, err := o.lane(ctx, t, q.fold.Seq())
	if err != nil {
		return nil, err
	}
	w := &pastWork{
		Session: t.Session, Todos: projections.Todos.In(f).Open(), Plan: projections.Plan.In(f), Skill: projections.Phase.In(f),
	}
	for p := range projections.Prompts.In(f).Backward() {
		w.Request = p
		break
	}
	return w, nil
}

// decisions gives those of the project that hold, were made on purpose and not long
// ago, and those of the session before a /clear whatever their age; the newest first.
func decisions(q question, before *pastWork) []datedDecision {
	var found []datedDecision
	for d := range projections.Decisions.In(q.fold).Backward() {
		own := before != nil && d.Session == before.Session
		recent := time.Duration(q.asked.At-int64(d.At)) <= decisionAge
		if d.Holds() && !d.Weak && (recent || own) {
			found = append(found, datedDecision{d, before != nil && !own})
		}
	}
	return found
}

// theirs gives what others of the team decided not long ago in the same repository, the newest first.
// What holds here in the same words is told as one's own.
func theirs(q question) (found []team.Decision) {
	if q.theirs == nil {
		return nil
	}
	own := map[string]bool{}
	for d := range projections.Decisions.In(q.fold).Backward() {
		own[d.Text] = own[d.Text] || d.Holds()
	}
	for _, d := range q.theirs(q.asked.Project) {
		if time.Duration(q.asked.At-d.At) <= decisionAge && !own[d.Text] {
			found = append(found, d)
		}
	}
	return found
}
