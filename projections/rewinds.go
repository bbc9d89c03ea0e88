package projections

import (
	"slices"

	"journal/events"
)

// Rewinds lists the parts of a log that people took back. The zero value has none.
type Rewinds struct {
	all  []rewind
	last uint64 // number of the newest one
}

// rewind is one part of a lane.
type rewind struct {
	Target
	first, last uint64
	files       bool
}

// With returns the list with the rewind of an event. changed is the first event that is rewound or holds again now, 0
// for none. Events come in log order; one that the list has changes nothing. A person may go back to an abandoned
// branch: a rewind that begins within an earlier one of its lane, or right behind it, replaces that.
func (r Rewinds) With(e events.Envelope) (with Rewinds, changed uint64) {
	ev, ok := events.As[events.ConversationRewound](e)
	if !ok || e.EchoOf != 0 || e.Seq <= r.last || ev.First == 0 || ev.Last < ev.First {
		return r, 0
	}
	added := rewind{Target{e.Project, e.Session, e.Lane}, ev.First, min(ev.Last, e.Seq-1), ev.Files}
	with = Rewinds{last: e.Seq}
	changed = added.first
	for _, o := range r.all {
		if o.Target == added.Target && o.last+1 >= added.first {
			changed = min(changed, o.first)
			continue
		}
		with.all = append(with.all, o)
	}
	with.all = append(with.all, added)
	return with, changed
}

// TakenBack reports whether an event was rewound, as a lane sees it. A rewind of the main thread also rewinds the work
// of subagents meanwhile, except for a subagent itself, which may go on.
func (r Rewinds) TakenBack(m events.Meta, lane string) bool {
	return slices.ContainsFunc(r.all, func(o rewind) bool {
		return o.first <= m.Seq && m.Seq <= o.last && o.Session == m.Session && o.Project == m.Project &&
			(o.Lane == m.Lane || o.Lane == "" && m.Lane != lane) && events.Reversible(m.Type, o.files)
	})
}
