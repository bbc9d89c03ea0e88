package owner

import (
	"time"

	"journal/events/text"
	"journal/journal/team"
	"journal/projections"
)

// startPage is what the phrase for a start of a session is filled in with.
type startPage struct {
	Before  *pastWork // what /clear ended for this session
	Earlier *pastWork // of another session
	Ports   []offeredPort
	// Decisions are the newest first.
	Decisions []datedDecision
	Theirs    []team.Decision // of others, the newest first
	Files     []knownFile
	Compact   projections.LastCompactState
	Newest    projections.ProjectCompactState // in any session
	// NewestTitle is the title of that session.
	NewestTitle string
	Compound    projections.CompoundState
	Pressure    projections.PressureState

	MorePorts, MoreDecisions, MoreTheirs, MoreFiles int // that had no room
}

// empty says that there is nothing to tell. How full the context is says nothing by
// itself.
func (p startPage) empty() bool {
	return p.Before == nil && p.Earlier == nil && len(p.Ports) == 0 && len(p.Decisions) == 0 && len(p.Theirs) == 0 && len(p.Files) == 0 &&
		p.Compact.Count == 0 && p.Compact.Imported == 0 && p.Newest.Seq == 0 && p.Compound.Seq == 0 && p.Compound.Imported == 0
}

// room says how much of each a text may hold: units of UTF-16, and items.
type room struct{ request, plan, item, todos, ports, portItems, decisions, theirs, files int }

// rooms are tried from the largest. The last one leaves half of startUnits to the words
// around it.
var rooms = []room{
	{400, 300, 160, 8, 4, 3, 5, 4, 6},
	{300, 200, 140, 6, 3, 3, 4, 3, 4},
	{240, 120, 120, 4, 2, 2, 3, 2, 3},
	{160, 80, 100, 3, 2, 1, 2, 1, 2},
	{100, 60, 80, 2, 1, 1, 1, 1, 1},
}

// within gives the page cut to a room.
func (p startPage) within(r room) startPage {
	p.Before, p.Earlier = p.Before.within(r), p.Earlier.within(r)
	p.Ports, p.MorePorts = firstOf(p.Ports, r.ports)
	for i := range p.Ports {
		p.Ports[i] = p.Ports[i].within(r)
	}
	p.Decisions, p.MoreDecisions = firstOf(p.Decisions, r.decisions)
	for i := range p.Decisions {
		p.Decisions[i].Text = short(p.Decisions[i].Text, r.item)
	}
	p.Theirs, p.MoreTheirs = firstOf(p.Theirs, r.theirs)
	for i := range p.Theirs {
		d := &p.Theirs[i]
		d.Question, d.Text = short(d.Question, r.item), short(d.Text, r.item)
	}
	p.Files, p.MoreFiles = firstOf(p.Files, r.files)
	return p
}

// pastWork is what a session was at when it ended or fell silent.
type pastWork struct {
	Session, Agent string
	Ended          bool
	Gone           bool // its process is, and nothing told an end
	ago
	Request   projections.PromptState // the last one, without text for none
	Todos     projections.TodosState  // open ones
	MoreTodos int
	Plan      projections.PlanState
	Skill     projections.PhaseState
}

// within gives the work cut to a room.
func (w *pastWork) within(r room) *pastWork {
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

// datedDecision is a decision that holds.
type datedDecision struct {
	projections.DecisionState
	Another bool // session's than the one before a /clear
}

func short(s string, units int) string { return text.CutUnits(text.Line(s), units) }

// firstOf gives a copy of the first n of a list, and how many more there are.
func firstOf[S ~[]E, E any](all S, n int) (S, int) {
	if len(all) <= n {
		n = len(all)
	}
	return append(S(nil), all[:n]...), len(all) - n
}
