package projections

import (
	"cmp"
	"slices"

	"journal/events"
	"journal/events/text"
)

// ReportState is the report of a subagent that has ended.
type ReportState struct {
	Lane  string `json:"lane"`
	About string `json:"about,omitempty"` // its task on one line, empty while that is unknown
	Text  string `json:"text,omitempty"`  // the end of the report, empty while it works
	Seq   uint64 `json:"seq"`             // of the event with the report, else with the task
}

// ReportsState lists the newest subagents of the lane, oldest first.
type ReportsState []ReportState

// MarshalJSON encodes an empty list as a list.
func (l ReportsState) MarshalJSON() ([]byte, error) { return marshalList(l) }

// Bounds of a report, in UTF-16 units, and of the reports of a state.
const (
	reportUnits = 2000
	maxReports  = 8
)

// Reports records what the main thread's subagents reported. An event of a subagent's own lane reports its end; some
// clients report it with the call that started it.
var Reports = Declare("reports", 1, Lane, "what subagents reported",
	On(func(l ReportsState, e events.SubagentTasked, m At) ReportsState {
		return l.with(ReportState{Lane: e.Lane, About: purpose(e), Text: text.EndUnits(e.Report, reportUnits), Seq: m.Seq})
	}),
	OnIn(Session, func(l ReportsState, e events.SubagentEnded, m At) ReportsState {
		if m.Target.Lane != "" || m.Lane == "" || e.Text == "" {
			return l
		}
		return l.with(ReportState{Lane: m.Lane, Text: text.EndUnits(e.Text, reportUnits), Seq: m.Seq})
	}),
)

// with returns a copy with what is newly known of a subagent, as the newest.
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
