package recovery

import (
	"slices"
	"time"

	"journal/events/text"
	"journal/projections"
	"journal/replay/knowledge"
)

// Silence is the time without an event after which a session counts as left: its agent is not working, and a person who
// reads or thinks returns sooner.
const Silence = 30 * time.Minute

// PastNeeds lists the projections behind a Past.
var PastNeeds = []projections.Projection{projections.Prompts, projections.Todos, projections.Plan, projections.Phase}

// Past is the work of a session when it ended or fell silent.
type Past struct {
	Session, Agent string
	Ended          bool
	Gone           bool // its process ended without an event
	ago
	Request   projections.PromptState // the last prompt, zero for none
	Todos     projections.TodosState  // open ones
	MoreTodos int                     // number of open ones without room
	Plan      projections.PlanState
	Skill     projections.PhaseState
	Full      int // how full its context was, in percent; 0 for unknown; set by the caller
}

// PastOf returns the work of a session, from a fold that holds PastNeeds.
func PastOf(f *projections.Fold) *Past {
	p := &Past{
		Session: f.Target().Session, Todos: projections.Todos.In(f).Open(), Plan: projections.Plan.In(f), Skill: projections.Phase.In(f),
	}
	p.Request, _ = projections.Prompts.In(f).Last()
	return p
}

// Nothing reports whether the session left no work.
func (p *Past) Nothing() bool {
	return p.Request.Text == "" && len(p.Todos) == 0 && p.Plan.Text == "" && !p.Skill.Active()
}

// ByOther sets the fields about another session, as of the time at, in ns since 1970. It drops the plan, which was approved
// for that session.
func (p *Past) ByOther(ref projections.SessionRef, at int64) {
	p.Plan = projections.PlanState{}
	p.Agent, p.Ended, p.Gone = ref.Agent, ref.Ended, ref.Gone
	p.Ago = max(0, time.Duration(at-int64(ref.LastAt)))
}

// within returns the past, cut to a room; nil for nil.
func (p *Past) within(r room) *Past {
	if p == nil {
		return nil
	}
	cut := *p
	cut.Request.Text = text.CutUnits(text.Trimmed(cut.Request.Text), r.request)
	cut.Plan.Text = text.CutUnits(text.Trimmed(cut.Plan.Text), r.plan)
	cut.Todos, cut.MoreTodos = firstOf(cut.Todos, r.todos)
	for i := range cut.Todos {
		cut.Todos[i].Text = text.CutLine(cut.Todos[i].Text, r.item)
	}
	return &cut
}

// ago is the time since an event. A text shows it in the largest of Days, Hours and Minutes that is not 0.
type ago struct{ Ago time.Duration }

func (a ago) Days() int    { return int(a.Ago.Hours() / 24) }
func (a ago) Hours() int   { return int(a.Ago.Hours()) }
func (a ago) Minutes() int { return int(a.Ago.Minutes()) }

// decisionAge is the age up to which a start lists decisions; older ones can be searched for.
const decisionAge = 7 * 24 * time.Hour

// datedDecision is a decision that still holds.
type datedDecision struct {
	projections.DecisionState
	Another bool // the start follows a /clear, and the session before that did not make the decision
}

// decisions returns the recent decisions of the project that hold and were made on purpose, and all such decisions of the
// session before a /clear, newest first. at is the time of the start, in ns since 1970.
func decisions(f *projections.Fold, at int64, before *Past) []datedDecision {
	var found []datedDecision
	for d := range projections.Decisions.In(f).Backward() {
		own := before != nil && d.Session == before.Session
		recent := time.Duration(at-int64(d.At)) <= decisionAge
		if d.Holds() && !d.Weak && (recent || own) {
			found = append(found, datedDecision{d, before != nil && !own})
		}
	}
	return found
}

// AddDecisions adds recent decisions of other members of the team, which are sorted newest first. It skips those that hold in
// this project in the same words.
func (s *Start) AddDecisions(all []knowledge.MemberDecision) {
	own := map[string]bool{}
	for d := range projections.Decisions.In(s.fold).Backward() {
		own[d.Text] = own[d.Text] || d.Holds()
	}
	s.Overview.Theirs = knowledge.SelectTheirs(slices.DeleteFunc(slices.Clone(all), func(d knowledge.MemberDecision) bool {
		return time.Duration(s.at-int64(d.At)) > decisionAge || own[d.Text]
	}), nil)
}
