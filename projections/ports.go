package projections

import (
	"cmp"
	"fmt"
	"slices"

	"journal/events"
)

// PortState is one unit of work.
type PortState struct {
	ID       string     `json:"id"`
	Title    string     `json:"title"`
	Status   string     `json:"status"` // pending, running, blocked, complete
	Done     int        `json:"done"`
	Total    int        `json:"total"`
	Progress string     `json:"progress"` // "3/5 (60%)"; "0/0" without a checklist
	Pending  []string   `json:"pending"`  // items not done, in the checklist's order
	After    []string   `json:"after,omitempty"`
	Reason   string     `json:"reason,omitempty"`  // why it is blocked
	Session  string     `json:"session,omitempty"` // that started it
	Left     bool       `json:"left,omitempty"`    // that session has ended since, or its process is gone
	Seq      uint64     `json:"seq"`               // last change
	At       Stamp      `json:"at"`                // of the last change
	Items    []PortItem `json:"items"`
}

// PortItem is one item of a checklist.
type PortItem struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// PortsState lists the project's ports in the order of their definition.
type PortsState []PortState

// Running gives the port that a session works on, else the newest running one of
// the project that no session claims, as after /clear (S0.3).
func (l PortsState) Running(session string) (PortState, bool) {
	all := l.AllRunning(session)
	if len(all) == 0 || all[0].of(session) == elsewhere {
		return PortState{}, false
	}
	return all[0], true
}

// AllRunning lists the running ports of the project: those of a session, then those
// that nobody claims, then those of other sessions, the last changed first. None ends
// by its age.
func (l PortsState) AllRunning(session string) []PortState {
	var all []PortState
	for _, p := range l {
		if p.Status == "running" {
			all = append(all, p)
		}
	}
	slices.SortStableFunc(all, func(a, b PortState) int {
		return cmp.Or(cmp.Compare(a.of(session), b.of(session)), cmp.Compare(b.Seq, a.Seq))
	})
	return all
}

// How a session stands to a running port, the nearest first.
const (
	own = iota
	unclaimed
	elsewhere
)

func (p PortState) of(session string) int {
	switch {
	case p.Session == session:
		return own
	case p.Session == events.None || p.Left:
		return unclaimed
	}
	return elsewhere
}

// Missing lists the ports that have to be complete before a port and are not, in the
// order in which it names them.
func (l PortsState) Missing(after []string) []string {
	var missing []string
	for _, id := range after {
		if p, ok := l.Of(id); !ok || p.Status != "complete" {
			missing = append(missing, id)
		}
	}
	return missing
}

// Of gives a port by its id.
func (l PortsState) Of(id string) (PortState, bool) {
	return first(l, func(p PortState) bool { return p.ID == id })
}

// Ports tells the units of work of the project and how far they are (S0.10).
// Whether a running one is idle depends on the time of who looks, so no
// state says it (ADR-0021 rule 2).
var Ports = Declare("ports", 3, Project, "units of work with their checklists",
	On(PortsState.defined),
	On(PortsState.changed),
	On(PortsState.ticked),
	On(func(l PortsState, _ events.SessionStarted, at At) PortsState { return l.leaves(at, false) }),
	On(func(l PortsState, _ events.SessionEnded, at At) PortsState { return l.leaves(at, true) }),
	On(func(l PortsState, _ events.SessionGone, at At) PortsState { return l.leaves(at, true) }),
)

// leaves notes that the session which started ports has ended, or goes on. The ports
// are as they were.
func (l PortsState) leaves(at At, left bool) PortsState {
	theirs := func(p PortState) bool { return p.Session == at.Session && p.Left != left }
	if at.Lane != "" || at.Session == events.None || !slices.ContainsFunc(l, theirs) {
		return l
	}
	l = slices.Clone(l)
	for i := range l {
		if theirs(l[i]) {
			l[i].Left = left
		}
	}
	return l
}

func (l PortsState) defined(e events.PortDefined, at At) PortsState {
	return l.with(e.Port, at, func(p *PortState) {
		keep(&p.Title, e.Title)
		if e.After != nil {
			p.After = e.After
		}
		if e.Items == nil {
			return
		}
		// A new checklist keeps the ticks of the items it shares with the old.
		var items []PortItem
		for _, text := range e.Items {
			i := slices.IndexFunc(p.Items, func(o PortItem) bool { return o.Text == text })
			items = append(items, PortItem{Text: text, Done: i >= 0 && p.Items[i].Done})
		}
		p.Items = items
	})
}

func (l PortsState) changed(e events.PortChanged, at At) PortsState {
	if e.Status == "removed" {
		return l.without(e.Port)
	}
	return l.with(e.Port, at, func(p *PortState) {
		p.Status, p.Reason = e.Status, e.Reason
		if e.Status == "running" {
			p.Session, p.Left = at.Session, false
		}
	})
}

// without gives the ports but one; none waits for it any more.
func (l PortsState) without(id string) PortsState {
	l = slices.DeleteFunc(slices.Clone(l), func(p PortState) bool { return p.ID == id })
	for i := range l {
		l[i].After = slices.DeleteFunc(slices.Clone(l[i].After), func(after string) bool { return after == id })
	}
	return l
}

func (l PortsState) ticked(e events.PortTicked, at At) PortsState {
	return l.with(e.Port, at, func(p *PortState) {
		i := slices.IndexFunc(p.Items, func(o PortItem) bool { return o.Text == e.Item })
		p.Items = slices.Clone(p.Items)
		if i < 0 {
			p.Items = append(p.Items, PortItem{Text: e.Item})
			i = len(p.Items) - 1
		}
		p.Items[i].Done = !e.Undo
	})
}

// with changes one port of a copy of the list, making it when it is new.
func (l PortsState) with(id string, at At, change func(*PortState)) PortsState {
	out := slices.Clone(l)
	i := slices.IndexFunc(out, func(p PortState) bool { return p.ID == id })
	if i < 0 {
		i = len(out)
		out = append(out, PortState{ID: id, Title: id, Status: "pending"})
	}
	p := &out[i]
	change(p)
	p.Seq, p.At = at.Seq, Stamp(at.At)
	if p.Items == nil {
		p.Items = []PortItem{} // a list in JSON, also when it is empty
	}
	p.Done, p.Total, p.Pending = 0, len(p.Items), []string{}
	for _, item := range p.Items {
		if item.Done {
			p.Done++
		} else {
			p.Pending = append(p.Pending, item.Text)
		}
	}
	p.Progress = Progress(p.Done, p.Total)
	return out
}

// Progress gives "3/5 (60%)", and "0/0" for an empty checklist (S0.4).
func Progress(done, total int) string {
	if total == 0 {
		return "0/0"
	}
	return fmt.Sprintf("%d/%d (%d%%)", done, total, done*100/total)
}

// MarshalJSON gives a list even when it is empty.
func (l PortsState) MarshalJSON() ([]byte, error) { return marshalList(l) }
