package knowledge

import "journal/projections"

// Task is the request that started a subagent; the main lane has none.
const Task Kind = "task"

var _ = declare(Def{
	Kind: Task, CountedAs: Prompt, Needs: []projections.Projection{projections.Task, projections.Prompts},
	Items: func(f *projections.Fold) []Item {
		t := taskOf(f)
		if t.Text == "" {
			return nil
		}
		items := []Item{{Kind: Task, Seq: t.Seq, Text: t.Text}}
		if t.Later != "" {
			items = append(items, Item{Kind: Task, Seq: t.LaterSeq, Text: t.Later})
		}
		return items
	},
	Text: Text{
		Form: Quote, Units: 300, Reserve: 4800,
		Tiers: Tiers{Best: Vital, First: 1}, Unasked: true,
	},
	Audit: promptAudit,
})

// taskOf returns the task as the main lane stated it, or else the subagent's first prompt. It is zero in the main lane.
func taskOf(f *projections.Fold) projections.TaskState {
	if f.Target().Lane == "" {
		return projections.TaskState{}
	}
	if t := projections.Task.In(f); t.Text != "" {
		return t
	}
	for p := range projections.Prompts.In(f).All() {
		return projections.TaskState{Text: p.Text, Seq: p.Seq}
	}
	return projections.TaskState{}
}
