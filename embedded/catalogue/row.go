package catalogue

import (
	"cmp"

	"journal/events"
	"journal/journal"
	"journal/projections"
	"journal/replay"
	"journal/replay/audit"
)

// Row describes one session in one project for lists.
type Row struct {
	journal.Session
	Last        Moment // the newest event
	Began       int64  // least time of an event that is not the owner's own, ns since 1970 UTC; 0 for none
	Reported    Moment // the newest event by time that is not the owner's own
	Title       string // the client's title, else the first request; empty if there is neither
	Info        projections.SessionState
	Pressure    projections.PressureState // of the main lane, by the table's parameters
	Compactions int                       // of the main lane
	Facts       projections.CompactionFacts
	Compacted   bool                   // a compaction, or weak evidence of one, was seen in any lane
	Tasks       projections.TodosState // of the main lane, without their texts
	// Bad is true if an event cannot be read. A replay reports which.
	Bad bool
}

// Moment identifies an event of a session. The zero value is none.
type Moment struct {
	Seq   uint64
	At    int64 // ns since 1970 UTC, by the reporter's clock
	Agent string
}

// compare compares a row with a session, by id and project.
func (r *Row) compare(project, id string) int {
	return cmp.Or(cmp.Compare(r.ID, id), cmp.Compare(r.Project, project))
}

// Newest returns the newest event that is not the owner's own, or the newest one if there is no other.
func (r *Row) Newest() Moment {
	if r.Reported.Seq == 0 {
		return r.Last
	}
	return r.Reported
}

// Rank returns 0 for a session in which a person worked, 1 for a session that only started, and 2 for a headless one.
func (r *Row) Rank() int {
	switch i := r.Info; {
	case i.Headless:
		return 2
	case i.Starts > 0 && i.Prompts == 0 && i.Turns == 0 && len(r.Tasks) == 0:
		return 1
	}
	return 0
}

// count counts a record of the session, whether or not it is an event.
func (r *Row) count(t events.Type) {
	r.Events++
	r.ByAgent = r.ByAgent || !events.Appendable(t)
	r.Asked = r.Asked || t == events.TypeOf[events.PromptSubmitted]()
}

// add adds an event of the session. ev is nil if no fold reads the event. c are the parameters of folds.
func (r *Row) add(e events.Envelope, ev events.Event, c projections.Config) {
	r.Last = Moment{e.Seq, e.At, e.Agent}
	if !events.Bookkeeping(e.Type) {
		if e.At >= r.Reported.At { // an import appends the rows of a subagent behind those of the main lane
			r.Reported = r.Last
		}
		if r.Began == 0 || e.At < r.Began {
			r.Began = e.At
		}
	}
	if e.EchoOf != 0 {
		return
	}
	r.Compacted = r.Compacted || audit.IsFact(e.Type)
	if ev != nil {
		r.fold(e, ev, c)
	}
}

// fold adds an event that folds read.
func (r *Row) fold(e events.Envelope, ev events.Event, c projections.Config) {
	if r.Title == "" {
		r.Title = replay.TitleIn(e)
	}
	at := projections.At{Meta: e.Meta, Config: c, Target: projections.Target{Project: r.Project, Session: r.ID}}
	r.Info = projections.SessionInfo.Next(r.Info, projections.Session, ev, at)
	r.Title = cmp.Or(replay.TitleOf(r.Info), r.Title)
	r.Pressure = projections.Pressure.Next(r.Pressure, projections.Session, ev, at)
	// The count follows from CompactionFacts alone.
	s := projections.LastCompact.Next(projections.LastCompactState{Count: r.Compactions, Facts: r.Facts}, projections.Session, ev, at)
	r.Compactions, r.Facts = s.Count, s.Facts
	r.Tasks = projections.Todos.Next(r.Tasks, projections.Session, ev, at)
	for i, t := range r.Tasks {
		r.Tasks[i] = projections.TodoState{ID: t.ID, Status: t.Status, From: t.From}
	}
}
