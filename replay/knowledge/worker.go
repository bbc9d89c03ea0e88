package knowledge

import (
	"fmt"
	"slices"

	"journal/events/text"
	"journal/projections"
	"journal/projections/workers"
)

// Worker is a task that a worker of the session failed, or that never reported an end, and the project's newest run
// that was killed or had failed tasks, whatever session started it (S4.7).
const Worker Kind = "worker"

var _ = declare(Def{
	Kind: Worker, Needs: []projections.Projection{workers.Projection, workers.Runs}, Items: unfinishedWork,
	Text: Text{Form: Title, Units: 120, Cap: 120, Most: 10, Tiers: Tiers{Best: Likely, First: 10}},
})

// unfinishedWork lists unfinished and failed work of workers, the newest first. Only the main thread has workers.
func unfinishedWork(f *projections.Fold) []Item {
	target := f.Target()
	if target.Lane != "" {
		return nil
	}
	var items []Item
	unfinished, found := workers.NewestUnfinished(f, projections.Stamp(f.Last().At))
	if found && unfinished.Open() {
		items = append(items, Item{
			Kind: Worker, Seq: unfinished.Seq, Detail: text.CutLine(unfinished.Run, maxSkillRef), State: "unfinished",
			Text: fmt.Sprintf("%d/%d, `work resume %s`", unfinished.Done, unfinished.Tasks, text.CutLine(unfinished.Run, maxSkillRef)),
		})
	}
	for _, t := range slices.Backward(workers.Projection.In(f)) {
		if t.Session != target.Session && !(found && t.Run == unfinished.Run) {
			continue
		}
		it := Item{Kind: Worker, Seq: t.Seq, Detail: text.CutLine(t.TaskID, maxSkillRef)}
		switch {
		case t.Timestamps.Completed == "" && t.Run != "":
			it.State = "unfinished"
		case t.Failed() || !t.Finished() && t.Error != nil:
			it.State, it.Text = "failed", text.Line(t.Error.Message)
		default:
			continue
		}
		if t.Run != "" {
			it.Detail = text.CutLine(t.Run, maxSkillRef) + "/" + it.Detail
		}
		items = append(items, it)
	}
	return items
}
