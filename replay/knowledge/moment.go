package knowledge

import (
	"journal/events/text"
	"journal/projections"
)

// Said is the agent's last text since the newest request: it shows the step in progress.
const Said Kind = "said"

var _ = declare(Def{
	Kind: Said, Needs: []projections.Projection{projections.Said},
	Items: func(f *projections.Fold) []Item {
		if s := projections.Said.In(f); s.Text != "" {
			return []Item{{Kind: Said, Seq: s.Seq, Text: s.Text, Calls: s.Calls}}
		}
		return nil
	},
	Text: Text{
		Form: Quote, Units: 400, Whole: 600, End: true, Tiers: Tiers{Best: Vital, First: 1}, Summary: true,
	},
})

// Call is the newest tool call of the running turn, and those that ran beside it. State is its outcome.
const Call Kind = "call"

var _ = declare(Def{
	Kind: Call, Needs: []projections.Projection{projections.LastCall},
	Items: func(f *projections.Fold) []Item {
		c := projections.LastCall.In(f)
		if c.Seq == 0 {
			return nil
		}
		it := Item{Kind: Call, Seq: c.Seq, Text: text.Line(c.Tool + " " + c.Target), State: c.Outcome, Detail: c.Error}
		if c.Error != "" && c.Tool == "" {
			it.Detail = howFailed(c.Target, c.Error, "")
			if len(tasks(c.Target)) > 0 {
				it.Detail = "" // it is listed among the failures
			}
		}
		items := []Item{it}
		for i, call := range c.Beside {
			items = append(items, Item{Kind: Call, Seq: c.Seq, Part: i + 1, Text: call, State: c.Outcome})
		}
		return items
	},
	Text: Text{
		Form: Line, Units: 160, Detail: 120, DetailCap: 160, Tiers: Tiers{Best: Vital, First: 3, Second: 10}, Summary: true,
	},
})

// Approved is the person's approval of a plan since the request. Text is empty: the plan is an item of its own. Detail
// is the plan's file if nothing else is known of it.
const Approved Kind = "approved"

var _ = declare(Def{
	Kind: Approved, Needs: []projections.Projection{projections.Plan, projections.Prompts},
	Items: func(f *projections.Fold) []Item {
		plan := projections.Plan.In(f)
		if r, ok := projections.Prompts.In(f).Request(); !ok || plan.Seq < r.Seq {
			return nil
		}
		approved := Item{Kind: Approved, Tier: Vital, Seq: plan.Seq}
		if plan.Text == "" {
			approved.Detail = plan.File
		}
		return []Item{approved}
	},
	Text: Text{Form: Line, Units: 40, Detail: 200, Tiers: Tiers{Best: Vital, First: 1}, Summary: true},
})
