package projections

import (
	"cmp"
	"fmt"
	"slices"

	"journal/events"
)

// PortState is one unit of work.
type PortState struct {
	ID           string     `json:"id"`
	Title        string     `json:"title"`
	Status       string     `json:"status"`            // pending, running, blocked, complete
	Done         int        `json:"done"`              // number of items that are done
	Total        int        `json:"total"`             // number of items
	Progress     string     `json:"progress"`          // as the function Progress returns it
	Pending      []string   `json:"pending"`           // open items, in the checklist's order
	After        []string   `json:"after,omitempty"`   // ids of ports that must be complete first
	Reason       string     `json:"reason,omitempty"`  // reason of the last change of the status
	Session      string     `json:"session,omitempty"` // the session that started it last
	SessionEnded bool       `json:"left,omitempty"`    // the session or its process has ended since then
	Seq          uint64     `json:"seq"`               // last change
	At           Stamp      `json:"at"`                // time of the last change
	Items        []PortItem `json:"items"`
}

// PortItem is one item of a checklist.
type PortItem struct {
	Text string `json:"text"`
	Done bool   `json:"done"`
}

// PortsState lists the project's ports in definition order.
type PortsState []PortState

// Running returns the running port of a session, of several the last changed one. Without one it returns the last changed running
// port that belongs to no session, as after /clear (S0.3). ok is false if there is neither.
func (l PortsState) Running(session string) (port PortState, ok bool) {
	all := l.AllRunning(session)
	if len(all) == 0 || all[0].group(session) == elsewhere {
		return PortState{}, false
	}
	return all[0], true
}

// AllRunning lists the running ports of the project: the session's own, then those that belong to no session, then those of
// other sessions, each group with the last changed first. Ports of any age are listed.
func (l PortsState) AllRunning(session string) []PortState {
	all := slices.DeleteFunc(slices.Clone(l), func(p PortState) bool { return p.Status != "running" })
	slices.SortStableFunc(all, func(a, b PortState) int {
		return cmp.Or(cmp.Compare(a.group(session), b.group(session)), cmp.Compare(b.Seq, a.Seq))
	})
	return all
}

// The groups of AllRunning, in order.
const (
	own = iota
	unclaimed
	elsewhere
)

// group returns the group of a running port in the list for a session.
func (p PortState) group(session string) int {
	switch {
	case p.Session == session:
		return own
	case p.Session == events.None || p.SessionEnded:
		return unclaimed
	}
	return elsewhere
}

// Missing returns the ids in after, in their order, without those of complete ports.
func (l PortsState) Missing(after []string) []string {
	return slices.DeleteFunc(slices.Clone(after), func(id string) bool {
		p, ok := l.Of(id)
		return ok && p.Status == "complete"
	})
}

// Of returns the port with an id, if there is one.
func (l PortsState) Of(id string) (PortState, bool) {
	return firstMatch(l, func(p PortState) bool { return p.ID == id })
}

// Ports records the units of work of the project and their progress (S0.10). Readers decide whether a running port is idle,
// because that depends on the time at which they read (ADR-0021 rule 2).
var Ports = Declare("ports", 3, Project, "units of work with their checklists",
	On(PortsState.defined),
	On(PortsState.changed),
	On(PortsState.ticked),
	On(func(l PortsState, _ events.SessionStarted, at At) PortsState { return l.setSessionEnded(at, false) }),
	On(func(l PortsState, _ events.SessionEnded, at At) PortsState { return l.setSessionEnded(at, true) }),
	On(func(l PortsState, _ events.SessionGone, at At) PortsState { return l.setSessionEnded(at, true) }),
	OpenedInProject[PortsState]([]events.Type{events.TypeOf[events.PortChanged]()}, SessionBounds...),
)

// setSessionEnded sets SessionEnded in the ports of the event's session. Events of subagents' lanes change nothing.
func (l PortsState) setSessionEnded(at At, ended bool) PortsState {
	if at.Lane != "" || at.Session == events.None {
		return l
	}
	l = slices.Clone(l)
	for i := range l {
		if l[i].Session == at.Session {
			l[i].SessionEnded = ended
		}
	}
	return l
}

func (l PortsState) defined(e events.PortDefined, at At) PortsState {
	return l.with(e.Port, at, func(p *PortState) {
		setNonEmpty(&p.Title, e.Title)
		if e.After != nil {
			p.After = e.After
		}
		if e.Items == nil {
			return
		}
		// Items that the old checklist has too keep their state.
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
			p.Session, p.SessionEnded = at.Session, false
		}
	})
}

// without returns a copy without a port. No other port of the copy depends on it.
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

// with returns a copy of the list after change has been applied to a port. It adds the port if it is new.
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
		p.Items = []PortItem{} // an empty list in JSON
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

// Progress returns "3/5 (60%)", and "0/0" for an empty checklist (S0.4).
func Progress(done, total int) string {
	if total == 0 {
		return "0/0"
	}
	return fmt.Sprintf("%d/%d (%d%%)", done, total, done*100/total)
}

// MarshalJSON encodes an empty list as a list.
func (l PortsState) MarshalJSON() ([]byte, error) { return marshalList(l) }
