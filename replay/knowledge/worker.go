package knowledge

import (
	"fmt"
	"slices"

	"journal/events/text"
	"journal/projections"
	"journal/projections/workers"
)

// Worker is a task of the session's workers that failed, a task of a run that never reported an end, or the project's newest run
// that was killed or had failed tasks, whatever session started it (S4.7). State is failed or unfinished.
const Worker Kind = "worker"

var _ = declare(Def{
	Kind: Worker, Needs: []projections.Projection{workers.Projection, workers.Runs}, Items: unfinishedWork,
	Text: Text{Form: Title, Units: 120, Cap: 120, Most: 10, Tiers: Tiers{Best: Likely, First: 10}},
})

// unfinishedWork lists the unfinished run, then unfinished and failed tasks, newest first. Only the main lane has workers.
func unfinishedWork(f *projections.Fold) []Item {
	target := f.Target()
	if target.Lane != "" {
		return nil
	}
	var items []Item
	unfinished, found := workers.NewestUnfinished(f, projections.Stamp(f.Last().At))
	if found && unfinished.Open() {
		items = append(items, Item{
			Kind: Worker, Seq: unfinished.Seq, Detail: text.CutLine(unfinished.Run, maxField), State: "unfinished",
			Text: fmt.Sprintf("%d/%d, `work resume %s`", unfinished.Done, unfinished.Tasks, text.CutLine(unfinished.Run, maxField)),
		})
	}
	for _, t := range slices.Backward(workers.Projection.In(f)) {
		if t.Session != target.Session && !(found && t.Run == unfinished.Run) {
			continue
		}
		it := Item{Kind: Worker, Seq: t.Seq, Detail: text.CutLine(t.TaskID, maxField)}
		switch {
		case !t.Finished() && t.Run != "":
			it.State = "unfinished"
		case t.Failed(), !t.Finished() && t.Error != nil: // outside of runs an error may come without an end
			it.State, it.Text = "failed", text.Line(t.Error.Message)
		default:
			continue
		}
		if t.Run != "" {
			it.Detail = text.CutLine(t.Run, maxField) + "/" + it.Detail
		}
		items = append(items, it)
	}
	return items
}
