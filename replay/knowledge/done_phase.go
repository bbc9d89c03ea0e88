package knowledge

import (
	"slices"
	"strings"

	"journal/events/text"
	"journal/projections"
)

// DonePhase is a phase of the running skill that is done.
const DonePhase Kind = "phase"

const (
	maxDone   = 12  // phases, the newest
	doneUnits = 200 // of a summary
)

var _ = declare(Def{
	Kind: DonePhase, Needs: []projections.Projection{projections.Phase}, Items: donePhases,
	Text: Text{Place: 50, Turn: 90, Form: Title, Units: doneUnits, Grow: 3, Tiers: Tiers{Best: Likely, First: 4, Second: 8}},
})

// donePhases takes the newest first. A skill's file tells several at once.
func donePhases(f *projections.Fold) []Item {
	p := projections.Phase.In(f)
	if !p.Active() {
		return nil
	}
	var items []Item
	done := newestDone(p)
	for i, d := range slices.Backward(done) {
		first := slices.IndexFunc(done, func(o projections.CompletedPhase) bool { return o.Seq == d.Seq })
		it := Item{
			Kind: DonePhase, Seq: d.Seq, Part: 1 + i - first, Text: text.Line(d.Summary),
			Detail: strings.TrimSpace(short(d.Phase, maxSkillRef) + " " + short(d.Name, maxSkillRef)),
		}
		if p.Tells(d) {
			it.Tier = Unlisted // a SkillFile holds it
		}
		items = append(items, it)
	}
	return items
}

func newestDone(p projections.PhaseState) []projections.CompletedPhase {
	return p.Completed[max(0, len(p.Completed)-maxDone):]
}
