package knowledge

import (
	"cmp"

	"journal/projections"
)

// Plan is the plan that the person approved last. Audits ask for its steps.
const Plan Kind = "plan"

var _ = declare(Def{
	Kind: Plan, Needs: []projections.Projection{projections.Plan},
	Items: func(f *projections.Fold) []Item {
		p := projections.Plan.In(f)
		if p.Seq == 0 {
			return nil
		}
		plan := Item{Kind: Plan, Seq: p.Seq, Text: cmp.Or(p.Text, p.File)}
		return append([]Item{plan}, steps(plan)...)
	},
	Text: Text{
		Place: 42, Turn: 42, Form: Quote, Units: 300, Reserve: 1000, Grow: 5, Tiers: Tiers{Best: Likely, First: 1}, Summary: true,
	},
})
