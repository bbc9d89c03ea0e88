package knowledge

import (
	"time"

	"journal/projections"
)

// OtherPort is a running port of the project beside the one that the session is at,
// with the time since which nothing was done about it (S0.3).
const OtherPort Kind = "other-port"

var _ = declare(Def{
	Kind: OtherPort, Needs: []projections.Projection{projections.Ports},
	Items: func(f *projections.Fold) []Item {
		ports, session := projections.Ports.In(f), f.Target().Session
		at, _ := ports.Running(session)
		var items []Item
		for _, p := range ports.AllRunning(session) {
			if p.ID == at.ID {
				continue
			}
			items = append(items, Item{
				Kind: OtherPort, Seq: p.Seq, Detail: p.Title,
				Text: p.ID + ", " + p.Progress + ", " + p.At.Time().Format(time.DateTime) + " UTC",
			})
		}
		return items
	},
	Text: Text{
		Place: 35, Turn: 85, Form: Title, Units: 300, Most: 10, Tiers: Tiers{Best: Likely, First: 3, Second: 7}, Summary: true,
	},
})
