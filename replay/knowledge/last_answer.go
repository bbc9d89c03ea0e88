package knowledge

import "journal/projections"

// LastAnswer is what the agent said last: where it was, in its own words.
const LastAnswer Kind = "last-answer"

var _ = declare(Def{
	Kind: LastAnswer, Needs: []projections.Projection{projections.LastAnswer},
	Items: func(f *projections.Fold) []Item {
		if a := projections.LastAnswer.In(f); a.Text != "" {
			return []Item{{Kind: LastAnswer, Seq: a.Seq, Text: a.Text}}
		}
		return nil
	},
	Text: Text{
		Place: 44, Turn: 41, Form: Quote, Units: 300, End: true, Grow: 6, Tiers: Tiers{Best: Likely, First: 1}, Summary: true,
	},
})
