package knowledge

import (
	"time"

	"journal/projections"
)

// RunningPort is the port that the session works on (S0.4). Its id has the prefix of the port's open items, and no part.
const RunningPort Kind = "running-port"

// Port holds the running port for templates. It is empty if none is running.
type Port struct {
	ID, Title string
	Progress  string // finished and all items of the checklist
	Seq       uint64 // of the port's last event
}

var _ = declare(Def{
	Kind: RunningPort, CountedAs: PortItem, ID: string(PortItem), Needs: []projections.Projection{projections.Ports},
	Items: func(f *projections.Fold) []Item {
		p, running := projections.Ports.In(f).Running(f.Target().Session)
		if !running {
			return nil
		}
		fields := Port{ID: p.ID, Title: p.Title, Progress: p.Progress, Seq: p.Seq}
		return []Item{{Kind: RunningPort, Seq: p.Seq, Text: p.Title, Fields: fields}}
	},
	Text:  Text{Frame: true, Units: 200},
	Audit: Audit{Match: ByWords, Worth: worthKeeping(14, "the running port"), Title: "Port"},
})

// PortItem is an open item of the running port's checklist (S0.4).
const PortItem Kind = "port"

var _ = declare(Def{
	Kind: PortItem, Needs: []projections.Projection{projections.Ports},
	Items: func(f *projections.Fold) []Item {
		p, _ := projections.Ports.In(f).Running(f.Target().Session)
		var items []Item
		for i, text := range p.Pending {
			items = append(items, Item{Kind: PortItem, Seq: p.Seq, Part: i + 1, Text: text, place: i + 1})
		}
		return items
	},
	Text:  Text{Form: Box, Units: 300, Tiers: Tiers{Best: Vital, First: 5, Second: 20}},
	Audit: Audit{Match: ByWords, Rate: rateIf(func(i Item) bool { return onlyChecks(i.Text) }, other, worthKeeping(12, "open items of the running port that are more than checks")), Title: "Port"},
})

// OtherPort is another running port of the project, with the time of its last event (S0.3).
const OtherPort Kind = "other-port"

var _ = declare(Def{
	Kind: OtherPort, Needs: []projections.Projection{projections.Ports},
	Items: func(f *projections.Fold) []Item {
		ports, session := projections.Ports.In(f), f.Target().Session
		running, _ := ports.Running(session)
		var items []Item
		for _, p := range ports.AllRunning(session) {
			if p.ID == running.ID {
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
		Form: Title, Units: 300, Most: 10, Tiers: Tiers{Best: Likely, First: 3, Second: 7}, Unasked: true,
	},
})
