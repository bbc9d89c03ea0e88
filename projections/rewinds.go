package projections

import (
	"slices"

	"journal/events"
)

// Rewinds lists the parts of a log that people took back. The zero value has none.
type Rewinds struct {
	all  []rewind
	last uint64 // sequence of the newest ConversationRewound
}

// rewind is a part of a lane that was taken back.
type rewind struct {
	Target
	first, last uint64 // sequences of the events at its ends
	files       bool   // the client restored the files
}

// With returns the list with the rewind in an event. changed is the first event that is now taken back or no longer taken
// back, 0 for none. With ignores a rewind that is not newer than the last. A person may return to an abandoned branch: a rewind
// that begins before the end of an earlier rewind of its lane, or right after that end, replaces the earlier one.
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

// TakenBack reports whether an event was taken back, for a fold of lane. A rewind of the main lane also takes back the work
// of subagents in that time, except in a fold of the subagent itself, which may still work. Irreversible events stay.
func (r Rewinds) TakenBack(m events.Meta, lane string) bool {
	return slices.ContainsFunc(r.all, func(o rewind) bool {
		within := o.first <= m.Seq && m.Seq <= o.last && o.Session == m.Session && o.Project == m.Project
		inLane := o.Lane == m.Lane || o.Lane == "" && m.Lane != lane
		return within && inLane && events.Reversible(m.Type, o.files)
	})
}
