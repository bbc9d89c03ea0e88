package knowledge

import "journal/projections"

// RunningPort is the unit of work that the session is at (S0.4). Its id begins
// like those of its open items, and has no part.
const RunningPort Kind = "running-port"

// Port is a unit of work as templates see it, empty without one.
type Port struct {
	ID, Title, Progress string
	Seq                 uint64
}

var _ = declare(Def{
	Kind: RunningPort, As: PortItem, ID: string(PortItem), Needs: []projections.Projection{projections.Ports},
	Items: func(f *projections.Fold) []Item {
		p, running := projections.Ports.In(f).Running(f.Target().Session)
		if !running {
			return nil
		}
		fields := Port{ID: p.ID, Title: p.Title, Progress: p.Progress, Seq: p.Seq}
		return []Item{{Kind: RunningPort, Seq: p.Seq, Text: p.Title, Fields: fields}}
	},
	Text:  Text{Turn: 2, Frame: true, Units: 200},
	Audit: Audit{Match: ByWords, Place: 31, Worth: keep(14, "the running port"), Title: "Port"},
})
