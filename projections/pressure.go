package projections

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"journal/events"
)

// The levels of pressure, ascending.
const (
	LevelNone   = "none"
	LevelInfo   = "info"
	LevelUrgent = "urgent"
)

// PressureState describes the use of the context, and the notices about it.
type PressureState struct {
	UsedPercent int    `json:"used_percent"`
	Window      int64  `json:"window,omitempty"` // its size in tokens
	Level       string `json:"level"`            // none, info, urgent, by the fold's thresholds
	Notified    string `json:"notified"`         // the level of the notice since usage was last below it
	At          Stamp  `json:"at,omitempty"`
	Seq         uint64 `json:"seq,omitempty"`

	// Cycle counts how often the notices were armed again, by a compaction or a fall of the usage. A notice is claimed
	// once per cycle and level.
	Cycle int `json:"-"`
	// Tokens is the newest sample. AutoAt is the fewest tokens at which the client started a compaction itself, 0 for
	// unknown.
	Tokens, AutoAt int64 `json:"-"`
	// Compacting reports whether the client started a compaction itself and no event came since; AutoBefore is AutoAt before
	// that.
	Compacting bool  `json:"-"`
	AutoBefore int64 `json:"-"`
	// Since counts the tool calls that ended since the newest sample.
	Since int `json:"-"`
	// Reported is the window that the client reported last.
	Reported int64 `json:"-"`
	// Disproved is the newest window that held more tokens than it has.
	Disproved ModelWindow `json:"-"`
	// NotifiedSeq is the newest notice, and NotifiedPercent the usage at it. Compound tracks the project's compounds:
	// after one, the level is due at once. AfterCompound is set if the newest notice was due for that reason: then
	// another compound makes none due until the usage has risen by five points (ADR-0026 rule 4).
	NotifiedSeq     uint64        `json:"-"`
	NotifiedPercent int           `json:"-"`
	Compound        CompoundState `json:"-"`
	AfterCompound   bool          `json:"-"`
}

// ModelWindow is the window that the client reports of a model.
type ModelWindow struct {
	Model  string
	Tokens int64 // its size
}

// Pressure records how full the context is. A compaction empties it before any sample shows that (docs/CLIENTS.md §9).
var Pressure = Declare("pressure", 8, Lane, "how full the context is, and what was said about it",
	On(PressureState.sampled),
	On(PressureState.intended),
	On(PressureState.restarted),
	On(func(s PressureState, _ events.CompactionCompleted, _ At) PressureState {
		s.Compacting = false
		return s
	}),
	On(PressureState.notified),
	On(func(s PressureState, _ events.ToolUsed, _ At) PressureState { return s.worked() }),
	On(func(s PressureState, _ events.CommandRan, _ At) PressureState { return s.worked() }),
	On(func(s PressureState, _ events.FileRead, _ At) PressureState { return s.worked() }),
	On(func(s PressureState, _ events.FileWritten, _ At) PressureState { return s.worked() }),
	On(func(s PressureState, _ events.SubagentTasked, _ At) PressureState { return s.worked() }),
	OnIn(Project, part((*PressureState).compound, CompoundState.finished)),
	OnIn(Project, part((*PressureState).compound, CompoundState.requested)),
	OnIn(Project, part((*PressureState).compound, CompoundState.observed)),
)

func (s *PressureState) compound() *CompoundState { return &s.Compound }

func (s PressureState) sampled(e events.UsageSampled, at At) PressureState {
	if e.Window > 0 && e.Tokens > e.Window {
		s.Disproved, s.Reported = ModelWindow{e.Model, e.Window}, 0
	}
	disproved := s.Disproved == ModelWindow{e.Model, e.Window} && e.Window > 0
	if disproved { // the window is wrong, and so is the percentage
		e.Window, e.Percent = 0, 0
	}
	percent, window, ok := usage(e, cmp.Or(s.Reported, at.Config.Windows.size(e.Model)))
	if !ok && !disproved {
		return s
	}
	s.UsedPercent, s.Tokens, s.Window, s.Since = percent, e.Tokens, window, 0
	if e.Window > 0 {
		s.Reported = e.Window
	}
	switch {
	case s.Compacting && s.Tokens > 0:
		// The transcript is read slightly late: this sample is the usage at which the client started.
		s.AutoAt, s.Compacting = s.AutoBefore, false
		if s.AutoAt == 0 || s.Tokens < s.AutoAt {
			s.AutoAt = s.Tokens
		}
	case 2*s.Tokens > 3*s.AutoAt:
		s.AutoAt = 0 // it holds far more without compacting
	}
	s.At, s.Seq = Stamp(at.At), at.Seq
	// A client set to compact at 67,000 of 100,000 tokens never reaches 75 percent of its window, so the usage at which it
	// compacted before counts too (ADR-0026).
	effective := s.UsedPercent
	if s.AutoAt > 0 {
		effective = max(effective, PercentOf(s.Tokens, s.AutoAt))
	}
	s.Level = at.Config.Pressure.level(effective)
	if rank(s.Level) < rank(s.Notified) {
		s.Notified, s.AfterCompound = s.Level, false
		s.Cycle++
	}
	return s
}

// usage returns the use of a context in percent, 0 to 100, and its window. before is the window for a sample without
// one. Without any window, tokens have no meaning (S1.11).
func usage(e events.UsageSampled, before int64) (percent int, window int64, ok bool) {
	switch {
	case e.Window > 0:
		return min(max(e.Percent, 0), 100), e.Window, true
	case before > 0 && e.Tokens > before:
		return 0, 0, true // that window is wrong too
	case e.Window == 0 && before > 0:
		return PercentOf(e.Tokens, before), before, true
	default:
		return 0, before, false
	}
}

// PercentOf returns how full a window is, 0 to 100, rounded down: 74.9 % is not 75. The window must be positive.
func PercentOf(tokens, window int64) int {
	switch {
	case tokens <= 0:
		return 0
	case tokens >= window:
		return 100
	default:
		return int(tokens * 100 / window)
	}
}

// CompactsAt returns the percentage of the window at which the client compacted by itself, 0 for unknown.
func (s PressureState) CompactsAt() int {
	if s.AutoAt == 0 || s.Window == 0 {
		return 0
	}
	return PercentOf(s.AutoAt, s.Window)
}

// maxSince bounds the tool calls between a sample and a compaction for the sample to count as the usage at its start:
// the calls of one answer of the model.
const maxSince = 3

func (s PressureState) worked() PressureState {
	s.Since++
	s.Compacting = false
	return s
}

func (s PressureState) intended(e events.CompactionIntended, _ At) PressureState {
	if e.Trigger == "auto" {
		s.Compacting, s.AutoBefore = true, s.AutoAt
	}
	if e.Trigger == "auto" && s.Tokens > 0 && s.Since <= maxSince && (s.AutoAt == 0 || s.Tokens < s.AutoAt) {
		s.AutoAt = s.Tokens
	}
	return s
}

func (s PressureState) restarted(_ events.ContextRestarted, at At) PressureState {
	s.UsedPercent, s.Tokens, s.Compacting, s.AfterCompound = 0, 0, false, false
	s.Level, s.Notified = LevelNone, LevelNone
	s.At, s.Seq = Stamp(at.At), at.Seq
	s.Cycle++
	return s
}

func (s PressureState) notified(e events.NoticeGiven, at At) PressureState {
	if e.Kind == "pressure" {
		s.AfterCompound = e.About != 0 && e.About == s.Compound.Seq
		s.Notified, s.NotifiedSeq, s.NotifiedPercent = e.Level, at.Seq, s.UsedPercent
	}
	return s
}

// Due reports whether a notice of the level is due. about is the event that armed it: a compound, or 0.
func (s PressureState) Due() (level string, about uint64, due bool) {
	level = cmp.Or(s.Level, LevelNone)
	switch {
	case level == LevelNone:
		return level, 0, false
	case rank(level) > rank(s.Notified):
		return level, 0, true
	case s.Compound.Seq > s.NotifiedSeq && (!s.AfterCompound || s.UsedPercent >= s.NotifiedPercent+5):
		return level, s.Compound.Seq, true
	}
	return level, 0, false
}

func rank(level string) int { return slices.Index([]string{LevelInfo, LevelUrgent}, level) }

// MarshalJSON encodes the levels even before the first sample.
func (s PressureState) MarshalJSON() ([]byte, error) {
	type shown PressureState
	s.Level, s.Notified = cmp.Or(s.Level, LevelNone), cmp.Or(s.Notified, LevelNone)
	return json.Marshal(shown(s))
}

// Config holds the parameters of a fold. Another configuration derives other states from the same log (S1.4, ADR-0029).
// The zero value means the defaults.
type Config struct {
	Pressure Thresholds `json:"pressure"`
	// Windows are for models whose window no sample of the lane has.
	Windows Windows `json:"windows,omitempty"`
}

// Thresholds are the levels of context usage in percent, 1 to 100. Zero means the default: 60 informative, 75 urgent
// (S1.4).
type Thresholds struct {
	Info   int `json:"info,omitempty"`
	Urgent int `json:"urgent,omitempty"`
}

// Levels returns both levels, with the defaults for unset ones.
func (t Thresholds) Levels() (info, urgent int) {
	return cmp.Or(t.Info, 60), cmp.Or(t.Urgent, 75)
}

func (t Thresholds) level(percent int) string {
	info, urgent := t.Levels()
	switch {
	case percent >= urgent:
		return LevelUrgent
	case percent >= info:
		return LevelInfo
	default:
		return LevelNone
	}
}

// Windows maps prefixes of model ids to context windows, in tokens; the longest prefix wins. Samples of headless
// sessions have only the model and its tokens (S1.3).
type Windows map[string]int64

// of returns the window of a model, 0 if unknown.
func (w Windows) size(model string) int64 {
	var longest string
	for beginning := range w {
		if len(beginning) > len(longest) && strings.HasPrefix(model, beginning) {
			longest = beginning
		}
	}
	return w[longest]
}

// Over returns the windows of both; where both have a prefix, w wins.
func (w Windows) Over(others Windows) Windows {
	all := Windows{}
	maps.Copy(all, others)
	maps.Copy(all, w)
	return all
}

// Equal reports whether two configurations derive the same states.
func (c Config) Equal(d Config) bool {
	return c.Pressure == d.Pressure && maps.Equal(c.Windows, d.Windows)
}
