package owner

import (
	"journal/events"
	"journal/events/text"
	"journal/projections"
)

// startPorts and startItems bound what a session that begins is told of running ports:
// `journal port show` tells all.
const (
	startPorts = 3
	startItems = 3
	portUnits = 80 // of a title and of an item, in UTF-16 units
)

// offeredPort is a running port that a session can go on with.
type offeredPort struct {
	projections.PortState
	First []string // of its open items
	More  int      // open items beside those
	Other bool     // another session is at it
}

// offeredPorts gives the running ports of the project to a session that begins or was
// cleared, as unfinished skills are offered (S0.3); more is how many there are beside.
// A session that goes on knows its own.
func offeredPorts(q question) (offered []offeredPort, more int) {
	ev, err := events.Open(q.asked)
	start, ok := ev.(events.SessionStarted)
	if err != nil || !ok || q.asked.Lane != "" || start.Source != "startup" && start.Source != "clear" {
		return nil, 0
	}
	for _, p := range projections.Ports.In(q.fold).AllRunning(q.asked.Session) {
		if len(offered) == startPorts {
			more++
			continue
		}
		n := min(startItems, len(p.Pending))
		one := offeredPort{
			PortState: p, More: len(p.Pending) - n,
			Other: p.Session != q.asked.Session && p.Session != events.None && !p.Left,
		}
		one.Title = text.CutUnits(text.Line(p.Title), portUnits)
		for _, item := range p.Pending[:n] {
			one.First = append(one.First, text.CutUnits(text.Line(item), portUnits))
		}
		offered = append(offered, one)
	}
	return offered, more
}
