package recovery

import (
	"journal/events"
	"journal/projections"
)

// offeredPort is a running port that a session can go on with.
type offeredPort struct {
	projections.PortState
	First []string // of its open items
	More  int      // open items beside those
	Other bool     // another session is at it
}

// offeredPorts gives the running ports of the project to a session that begins or was
// cleared, as unfinished skills are offered (S0.3). A session that goes on knows its own.
func offeredPorts(f *projections.Fold, session string) (offered []offeredPort) {
	for _, p := range projections.Ports.In(f).AllRunning(session) {
		offered = append(offered, offeredPort{
			PortState: p, First: p.Pending,
			Other: p.Session != session && p.Session != events.None && !p.Left,
		})
	}
	return offered
}

// within gives the port cut to a room.
func (p offeredPort) within(r room) offeredPort {
	p.Title = short(p.Title, r.item)
	if p.First, p.More = firstOf(p.First, r.portItems); r.portItems == 0 {
		p.More = 0 // the progress says it
	}
	for i := range p.First {
		p.First[i] = short(p.First[i], r.item)
	}
	return p
}
