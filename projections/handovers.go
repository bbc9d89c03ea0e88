package projections

import (
	"encoding/json"
	"slices"

	"journal/events"
)

// HandoversState lists the takeovers of work between this machine and others, oldest first.
type HandoversState struct {
	Taken     []Takeover // work of other machines that sessions of this log continue
	TakenOver []Takeover // work of sessions of this log that other machines continue
}

// Takeover records that a session continues the unfinished work of another.
type Takeover struct {
	Member  string   `json:"member"` // the member on the other machine
	Device  string   `json:"device"`
	Project string   `json:"project,omitempty"` // key of the project on the other machine
	From    string   `json:"from"`              // the session that left the work
	By      string   `json:"by"`                // the session that continues the work
	Skill   string   `json:"skill,omitempty"`
	Ports   []string `json:"ports,omitempty"`
	Plan    string   `json:"plan,omitempty"` // title of the plan
	Seq     uint64   `json:"seq"`
	At      Stamp    `json:"at"`              // time of the takeover
	AsOf    uint64   `json:"as_of,omitempty"` // in Taken: newest sequence of the other log at the takeover
	Shown   bool     `json:"told,omitempty"`  // in TakenOver: the text of a start has listed it
}

// maxHandovers bounds the takeovers of a state, in each direction.
const maxHandovers = 50

// Handovers records the work that the project's sessions took over from other machines, and the work that other machines took
// over from them (J.9).
var Handovers = Declare("handovers", 2, Project, "work that moved between this machine and others",
	On(func(s HandoversState, e events.HandoverTaken, at At) HandoversState {
		s.Taken = grown(s.Taken, Takeover{
			Member: e.Member, Device: e.Device, Project: e.Project, From: e.Session, By: at.Session,
			Skill: e.Skill, Ports: e.Ports, Plan: planTitle(e.Plan, ""), Seq: at.Seq, At: Stamp(at.At), AsOf: e.AsOf,
		}, maxHandovers)
		return s
	}),
	On(func(s HandoversState, e events.HandoverNoticed, at At) HandoversState {
		s.TakenOver = grown(s.TakenOver, Takeover{
			Member: e.Member, Device: e.Device, From: e.Session, By: e.By,
			Skill: e.Skill, Ports: e.Ports, Plan: e.Plan, Seq: at.Seq, At: Stamp(e.Taken),
		}, maxHandovers)
		return s
	}),
	On(func(s HandoversState, e events.NoticeGiven, _ At) HandoversState {
		s.TakenOver = slices.Clone(s.TakenOver)
		for i := range s.TakenOver {
			t := &s.TakenOver[i]
			t.Shown = t.Shown || e.Kind == "start" && t.Seq <= e.AsOf
		}
		return s
	}),
)

// Unshown returns the takeovers by other machines that no text of a start has listed.
func (s HandoversState) Unshown() []Takeover {
	return slices.DeleteFunc(slices.Clone(s.TakenOver), func(t Takeover) bool { return t.Shown })
}

// Took reports whether a session of this log took over the work of another machine's session, as the work was at sequence asOf of
// the other log or later.
func (s HandoversState) Took(member, device, session string, asOf uint64) bool {
	return slices.ContainsFunc(s.Taken, func(t Takeover) bool {
		return t.Member == member && t.Device == device && t.From == session && t.AsOf >= asOf
	})
}

// MarshalJSON encodes empty lists as lists.
func (s HandoversState) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Taken []Takeover `json:"taken"`
		Given []Takeover `json:"given"`
	}{append([]Takeover{}, s.Taken...), append([]Takeover{}, s.TakenOver...)})
}
