package knowledge

import (
	"slices"
	"time"

	"journal/projections"
)

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

// PortItem is an item of the running port's checklist that is not done (S0.4).
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
	Text:  Text{Place: 30, Turn: 30, Form: Box, Units: 300, Grow: 8, Tiers: Tiers{Best: Vital, First: 5, Second: 20}},
	Audit: Audit{Match: ByWords, Place: 32, Worth: keep(12, "open items of the running port"), Title: "Port"},
})

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

// Todo is a task of the agent's list, word for word.
const Todo Kind = "todo"

var _ = declare(Def{
	Kind: Todo, Needs: []projections.Projection{projections.Todos, projections.Prompts}, Items: todos,
	Text:  Text{Place: 20, Turn: 20, Form: Box, Units: 300, Grow: 8, Tiers: Tiers{Best: Vital, First: 5, Second: 60}},
	Audit: Audit{Match: ByWords, Place: 30, Rate: either(isDone, routine("todo items that are done"), keep(10, "todo items that are open")), Title: "Todo items"},
})

func isDone(i Item) bool { return i.State == "completed" }

// todos takes the open tasks, what is being worked on before what waits, and for
// audits those that are done.
func todos(f *projections.Fold) []Item {
	var open, waiting, done []Item
	long := longAgo(f)
	for i, t := range projections.Todos.In(f) {
		item := Item{Kind: Todo, Seq: t.Seq, Part: t.Part, Text: t.Text, State: t.Status, Since: t.Seq < long, place: i}
		switch t.Status {
		case "completed":
			item.Tier = Unlisted
			done = append(done, item)
		case "in_progress":
			item.Detail = t.Status
			open = append(open, item)
		default:
			waiting = append(waiting, item)
		}
	}
	return slices.Concat(open, waiting, done)
}

// longPrompts is how many times the person asked for something since what is long ago.
const longPrompts = 5

// longAgo gives where the fifth of the newest requests stands, 0 where there are fewer.
func longAgo(f *projections.Fold) uint64 {
	n := 0
	for p := range projections.Prompts.In(f).Backward() {
		if n++; n == longPrompts {
			return p.Seq
		}
	}
	return 0
}
