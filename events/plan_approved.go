package events

import "cmp"

// PlanApproved says that the person approved a plan of the agent. A plan that was
// refused is none.
type PlanApproved struct {
	Text string `json:"text"`           // the whole plan, never cut
	File string `json:"file,omitempty"` // where the client keeps it
	Use  string `json:"use,omitempty"`
}

func (PlanApproved) event() {}

var _ = declare("plan.approved", "the person approved a plan",
	lasting[PlanApproved](),
	from(func(h Hook) (PlanApproved, bool) {
		if h.Kind != ToolEnd || h.Tool.Action != OfferPlan || h.Tool.Failed || cmp.Or(h.Tool.Plan, h.Tool.File) == "" {
			return PlanApproved{}, false
		}
		return PlanApproved{Text: h.Tool.Plan, File: h.Tool.File, Use: h.Tool.Use}, true
	}),
)
