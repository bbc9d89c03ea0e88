package owner

import (
	"journal/events"
	"journal/projections"
)

// startPorts and startItems bound what a session that begins is told of running ports:
// `journal port show` tells all.
const (
	startPorts = 3
	startItems = 3
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
		offered = append(offered, offeredPort{
			PortState: p, First: p.Pending[:n], More: len(p.Pending) - n,
			Other: p.Session != q.asked.Session && p.Session != events.None && !p.Left,
		})
	}
	return offered, more
}
