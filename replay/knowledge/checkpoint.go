package knowledge

import (
	"slices"

	"journal/projections"
)

// Checkpoint is the summary of the newest checkpoint that somebody wrote one for
// (S0.3); what an automatic one tells is derived from the session.
const Checkpoint Kind = "checkpoint"

var _ = declare(Def{
	Kind: Checkpoint, Needs: []projections.Projection{projections.Checkpoints},
	Items: func(f *projections.Fold) []Item {
		for _, c := range slices.Backward(projections.Checkpoints.In(f).List) {
			if c.Summary != "" && !c.Derived {
				return []Item{{Kind: Checkpoint, Seq: c.Seq, Text: c.Summary}}
			}
		}
		return nil
	},
	Text: Text{Place: 40, Turn: 40, Form: Line, Units: 600, Grow: 3, Tiers: Tiers{Best: Vital, First: 1}},
})
