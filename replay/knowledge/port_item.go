package knowledge

import "journal/projections"

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
