package recovery

import (
	"time"

	"journal/events/text"
	"journal/projections"
)

// Silence is after how long without an event a session counts as left: its agent does
// not work then, and a person who reads or thinks comes back sooner.
const Silence = 30 * time.Minute

// PastNeeds are the projections of what a session was at.
var PastNeeds = []projections.Projection{projections.Prompts, projections.Todos, projections.Plan, projections.Phase}

// Past is what a session was at when it ended or fell silent.
type Past struct {
	Session, Agent string
	Ended          bool
	Gone           bool // its process is, and nothing told an end
	ago
	Request   projections.PromptState // the last one, without text for none
	Todos     projections.TodosState  // open ones
	MoreTodos int
	Plan      projections.PlanState
	Skill     projections.PhaseState
	Full      int // its context, in percent, 0 unknown; the caller's to say
}

// PastOf gives what the session of a fold that holds PastNeeds was at.
func PastOf(f *projections.Fold) *Past {
	w := &Past{
		Session: f.Target().Session, Todos: projections.Todos.In(f).Open(), Plan: projections.Plan.In(f), Skill: projections.Phase.In(f),
	}
	for p := range projections.Prompts.In(f).Backward() {
		w.Request = p
		break
	}
	return w
}

// Nothing says that the session was at nothing.
func (w *Past) Nothing() bool {
	return w.Request.Text == "" && len(w.Todos) == 0 && w.Plan.Text == "" && !w.Skill.Active()
}

// ByOther says that another session was at it, as of a moment in ns since 1970. The plan is not told: it was approved
// for that session.
func (w *Past) ByOther(ref projections.SessionRef, at int64) {
	w.Plan = projections.PlanState{}
	w.Agent, w.Ended, w.Gone = ref.Agent, ref.Ended, ref.Gone
	w.Ago = max(0, time.Duration(at-int64(ref.LastAt)))
}

// within gives the work cut to a room.
func (w *Past) within(r room) *Past {
	if w == nil {
		return nil
	}
	is := *w
	is.Request.Text = text.CutUnits(text.Trimmed(is.Request.Text), r.request)
	is.Plan.Text = text.CutUnits(text.Trimmed(is.Plan.Text), r.plan)
	is.Todos, is.MoreTodos = firstOf(is.Todos, r.todos)
	for i := range is.Todos {
		is.Todos[i].Text = short(is.Todos[i].Text, r.item)
	}
	return &is
}

// ago is how long ago something was. Days, Hours and Minutes say it in the largest of them that is
// not 0.
type ago struct{ Ago time.Duration }

func (a ago) Days() int    { return int(a.Ago.Hours() / 24) }
func (a ago) Hours() int   { return int(a.Ago.Hours()) }
func (a ago) Minutes() int { return int(a.Ago.Minutes()) }

// decisionAge is how old a decision may be that a session is told of at its start;
// older ones are found by searching.
const decisionAge = 7 * 24 * time.Hour

// datedDecision is a decision that holds.
type datedDecision struct {
	projections.DecisionState
	Another bool // session's than the one before a /clear
}

// decisions gives those of the project that hold, were made on purpose and not long
// ago, and those of the session before a /clear whatever their age; the newest first.
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

// TeamDecision is what somebody else of the team decided in the same repository.
type TeamDecision struct {
	Member, Question, Text string
	At                     int64 // ns since 1970
}

// Day is when it was made, in UTC.
func (d TeamDecision) Day() string { return time.Unix(0, d.At).UTC().Format(time.DateOnly) }

// AddDecisions adds what others of the team decided not long ago, the newest first.
// What holds here in the same words is told as one's own.
func (s *Start) AddDecisions(all []TeamDecision) {
	own := map[string]bool{}
	for d := range projections.Decisions.In(s.fold).Backward() {
		own[d.Text] = own[d.Text] || d.Holds()
	}
	for _, d := range all {
		if time.Duration(s.at-d.At) <= decisionAge && !own[d.Text] {
			s.Overview.Theirs = append(s.Overview.Theirs, d)
		}
	}
}
