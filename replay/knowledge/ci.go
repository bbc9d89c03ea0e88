package knowledge

import (
	"journal/events/shell/failure"
	"journal/projections"
)

// CI is the log of a continuous integration that the agent read since the request. Detail has its findings. They stay when their
// files are edited, because an edit may be about one of several, and go with the next push, which starts a new run.
const CI Kind = "ci"

var _ = declare(Def{
	Kind: CI, Needs: []projections.Projection{projections.Commands, projections.Prompts, projections.Files, projections.SubagentFiles},
	Items: func(f *projections.Fold) (items []Item) {
		request, _ := projections.Prompts.In(f).Request()
		written := editsOf(f)
		for c := range projections.Commands.In(f).Backward() {
			if c.Seq <= request.Seq || c.OK && startsCI(c.Command) {
				break
			}
			if c.Reported != "" {
				items = append(items, Item{
					Kind: CI, Seq: c.Seq, Text: c.Command, Detail: failure.Grouped(c.Reported), Edited: written.since(c.Seq),
				})
			}
		}
		return items
	},
	Text: Text{Form: Code, Units: 120, Cap: maxScript, Detail: 240, DetailCap: maxFailure, Most: 2, Tiers: Tiers{Best: Vital, First: 1, Second: 1}, Unasked: true},
})

// startsCI reports whether a command starts a new run of a CI.
func startsCI(command string) bool {
	for _, t := range tasks(command) {
		if t.isGit("push") || t.words[0] == "gh" && t.has("rerun") {
			return true
		}
	}
	return false
}
