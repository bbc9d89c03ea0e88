package projections

import (
	"cmp"
	"encoding/json"

	"journal/events"
)

// PressureState is how full the context is.
type PressureState struct {
	UsedPercent int    `json:"used_percent"`
	Window      int64  `json:"window,omitempty"` // tokens in all, as the client told
	Level       string `json:"level"`            // none, info, urgent, by the fold's thresholds
	Notified    string `json:"notified"`         // the level that the agent was told last, since usage was below it
	At          Stamp  `json:"at,omitempty"`
	Seq         uint64 `json:"seq,omitempty"`
}

// Pressure tells how full the context is. A compaction empties it, before any
// sample says so (PROTOCOLS section 1.10).
var Pressure = Declare("pressure", 1, Lane, "how full the context is",
	On(PressureState.sampled),
	On(PressureState.restarted),
)

func (s PressureState) sampled(e events.UsageSampled, at At) PressureState {
	window := e.Window
	if window == 0 {
		window = s.Window
	}
	return PressureState{
		UsedPercent: e.Percent, Window: window, Level: at.Config.Pressure.level(e.Percent),
		At: Stamp(at.At), Seq: at.Seq,
	}
}

func (s PressureState) restarted(_ events.ContextRestarted, at At) PressureState {
	return PressureState{Window: s.Window, Level: at.Config.Pressure.level(0), At: Stamp(at.At), Seq: at.Seq}
}

// MarshalJSON names the level also before the first sample.
func (s PressureState) MarshalJSON() ([]byte, error) {
	type shown PressureState
	s.Level, s.Notified = cmp.Or(s.Level, "none"), cmp.Or(s.Notified, "none")
	return json.Marshal(shown(s))
}
