package projections

import (
	"cmp"
	"slices"

	"journal/events"
	"journal/events/text"
)

// ReportState is the report of a subagent.
type ReportState struct {
	Lane  string `json:"lane"`
	About string `json:"about,omitempty"` // purpose of the subagent, empty while it is unknown
	Text  string `json:"text,omitempty"`  // end of the report, empty while the subagent works
	Seq   uint64 `json:"seq"`             // the event with the report, else the one with the task
}

// ReportsState lists the newest subagents of the lane, oldest first.
type ReportsState []ReportState

// MarshalJSON encodes an empty list as a list.
func (l ReportsState) MarshalJSON() ([]byte, error) { return marshalList(l) }

const (
	reportUnits = 2000 // UTF-16 units of a report
	maxReports  = 8    // subagents of a state
)

// Reports records the reports of the lane's subagents. The event with a subagent's task may have the report. For the main lane
// the SubagentEnded of the subagent's own lane may have it too.
var Reports = Declare("reports", 1, Lane, "what subagents reported",
	On(func(l ReportsState, e events.SubagentTasked, at At) ReportsState {
		return l.with(ReportState{Lane: e.Lane, About: purpose(e), Text: text.EndUnits(e.Report, reportUnits), Seq: at.Seq})
	}),
	OnIn(Session, func(l ReportsState, e events.SubagentEnded, at At) ReportsState {
		if at.Target.Lane != "" || at.Lane == "" || e.Text == "" {
			return l
		}
		return l.with(ReportState{Lane: at.Lane, Text: text.EndUnits(e.Text, reportUnits), Seq: at.Seq})
	}),
)

// with returns a copy with r at its end. Empty fields of r are filled from an earlier report of the same subagent.
func (l ReportsState) with(r ReportState) ReportsState {
	if i := slices.IndexFunc(l, func(old ReportState) bool { return old.Lane == r.Lane }); i >= 0 {
		old := l[i]
		if r.Text == "" && old.Text != "" {
			r.Seq = old.Seq
		}
		r.About, r.Text = cmp.Or(r.About, old.About), cmp.Or(r.Text, old.Text)
		l = slices.Delete(slices.Clone(l), i, i+1)
	}
	return grown(l, r, maxReports)
}
