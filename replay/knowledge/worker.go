package knowledge

import (
	"slices"

	"journal/events/text"
	"journal/projections"
	"journal/projections/workers"
)

// Worker is a task of a worker that the session began and that failed, or whose end nothing
// told.
const Worker Kind = "worker"

var _ = declare(Def{
	Kind: Worker, Needs: []projections.Projection{workers.Projection}, Items: workersLeft,
	Text: Text{Place: 88, Turn: 79, Form: Title, Units: 120, Cap: 120, Grow: 8, Most: 10, Tiers: Tiers{Best: Likely, First: 10}},
})

// workersLeft takes the newest first. Workers are the main thread's.
func workersLeft(f *projections.Fold) []Item {
	var items []Item
	for _, t := range slices.Backward(workers.Projection.In(f)) {
		if of := f.Target(); of.Lane != "" || t.Session != of.Session {
			continue
		}
		it := Item{Kind: Worker, Seq: t.Seq, Detail: short(t.TaskID, maxSkillRef)}
		switch {
		case t.Timestamps.Completed == "" && t.Run != "":
			it.State = "unfinished"
		case t.Error != nil && !t.Recovered:
			it.State, it.Text = "failed", text.Line(t.Error.Message)
		default:
			continue
		}
		if t.Run != "" {
			it.Detail = short(t.Run, maxSkillRef) + "/" + it.Detail
		}
		items = append(items, it)
	}
	return items
}
