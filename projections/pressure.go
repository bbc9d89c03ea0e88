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
	Window      int64  `json:"window,omitempty"` // size of the context in tokens, 0 for unknown
	Level       string `json:"level"`            // none, info, urgent, by the fold's thresholds
	Notified    string `json:"notified"`         // level of the newest notice, or the lowest Level since then if that is lower
	At          Stamp  `json:"at,omitempty"`     // time of the newest sample or restart of the context
	Seq         uint64 `json:"seq,omitempty"`    // event of the newest sample or restart of the context

	// Cycle counts how often notices became possible again, after a compaction or a fall of the usage. A notice is claimed
	// once per cycle and level.
	Cycle int `json:"-"`
	// Tokens is the size of the context in the newest sample. AutoAt is the fewest tokens at which the client started a compaction
	// itself, 0 for unknown.
	Tokens, AutoAt int64 `json:"-"`
	// Compacting is set while the client runs a compaction that it started itself: until the summary, a restart of the
	// context, a sample or a tool call. AutoBefore is the value of AutoAt before that compaction.
	Compacting bool  `json:"-"`
	AutoBefore int64 `json:"-"`
	// CallsSince is the number of tool calls that ended since the newest sample.
	CallsSince int `json:"-"`
	// ReportedWindow is the window that the client reported last, 0 for none.
	ReportedWindow int64 `json:"-"`
	// DisprovedWindow is the newest reported window that was smaller than the tokens in it. Samples with this window count as
	// samples without one.
	DisprovedWindow ModelWindow `json:"-"`
	// NotifiedSeq is the sequence of the newest notice, and NotifiedPercent the usage at that notice. Compound tracks the
	// project's compounds: after a compound, a notice is due at once. AfterCompound is set if the newest notice was due for that
	// reason: then another compound makes no notice due until the usage has risen by five points (ADR-0026 rule 4).
	NotifiedSeq     uint64        `json:"-"`
	NotifiedPercent int           `json:"-"`
	Compound        CompoundState `json:"-"`
	AfterCompound   bool          `json:"-"`
}

// ModelWindow is the window of a model according to the client.
type ModelWindow struct {
	Model  string
	Tokens int64 // its size
}

// Pressure records how full the context is. After a compaction it counts as empty until the next sample (docs/CLIENTS.md §9).
var Pressure = Declare("pressure", 8, Lane, "how full the context is, and the notices about it",
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

// sampled applies a sample to the usage, the level and AutoAt. It ignores a sample if no window is known. If the level falls below
// that of the newest notice, a new cycle begins.
func (s PressureState) sampled(e events.UsageSampled, at At) PressureState {
	if e.Window > 0 && e.Tokens > e.Window {
		s.DisprovedWindow, s.ReportedWindow = ModelWindow{e.Model, e.Window}, 0
	}
	disproved := s.DisprovedWindow == ModelWindow{e.Model, e.Window} && e.Window > 0
	if disproved {
		e.Window, e.Percent = 0, 0
	}
	percent, window, ok := usage(e, cmp.Or(s.ReportedWindow, at.Config.Windows.size(e.Model)))
	if !ok && !disproved {
		return s
	}
	s.UsedPercent, s.Tokens, s.Window, s.CallsSince = percent, e.Tokens, window, 0
	if e.Window > 0 {
		s.ReportedWindow = e.Window
	}
	switch {
	case s.Compacting && s.Tokens > 0:
		// The sample is from before the compaction, in a transcript that was read later: the client started to compact at this usage.
		s.AutoAt, s.Compacting = s.AutoBefore, false
		if s.AutoAt == 0 || s.Tokens < s.AutoAt {
			s.AutoAt = s.Tokens
		}
	case 2*s.Tokens > 3*s.AutoAt: // the context grew to more than one and a half times AutoAt without a compaction
		s.AutoAt = 0
	}
	s.At, s.Seq = Stamp(at.At), at.Seq
	// A client that compacts at 67,000 of 100,000 tokens never reaches 75 percent of its window. So the usage as a percentage of
	// AutoAt counts if it is greater (ADR-0026).
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

// usage returns the use of a context in percent, 0 to 100, and its window. fallback is the window for a sample without one, 0
// for none. percent and window are 0 if the sample has more tokens than fallback, which is then wrong. ok is false if no window
// is known: the tokens alone do not show the usage (S1.11).
func usage(e events.UsageSampled, fallback int64) (percent int, window int64, ok bool) {
	switch {
	case e.Window > 0:
		return min(max(e.Percent, 0), 100), e.Window, true
	case fallback > 0 && e.Tokens > fallback:
		return 0, 0, true
	case e.Window == 0 && fallback > 0:
		return PercentOf(e.Tokens, fallback), fallback, true
	default:
		return 0, fallback, false
	}
}

// PercentOf returns how full a window is, 0 to 100, rounded down. The window must be positive.
func PercentOf(tokens, window int64) int {
	return int(min(max(tokens, 0), window) * 100 / window)
}

// CompactsAt returns the lowest percentage of the window at which the client started a compaction itself, 0 for unknown.
func (s PressureState) CompactsAt() int {
	if s.AutoAt == 0 || s.Window == 0 {
		return 0
	}
	return PercentOf(s.AutoAt, s.Window)
}

// maxCallsSince bounds the tool calls between a sample and a compaction. With more calls, the sample does not count as the usage at
// which the compaction started. An answer has about that many calls.
const maxCallsSince = 3

// worked records the end of a tool call.
func (s PressureState) worked() PressureState {
	s.CallsSince++
	s.Compacting = false
	return s
}

// intended records that a compaction starts. If the client started it itself, the newest sample may lower AutoAt.
func (s PressureState) intended(e events.CompactionIntended, _ At) PressureState {
	if e.Trigger != "auto" {
		return s
	}
	s.Compacting, s.AutoBefore = true, s.AutoAt
	if fresh := s.Tokens > 0 && s.CallsSince <= maxCallsSince; fresh && (s.AutoAt == 0 || s.Tokens < s.AutoAt) {
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

// Due reports whether a notice is due, and its level. about is the compound that made the notice due, 0 for other reasons.
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

// rank returns a number by which levels can be compared, -1 for LevelNone.
func rank(level string) int { return slices.Index([]string{LevelInfo, LevelUrgent}, level) }

// MarshalJSON encodes the levels even before the first sample.
func (s PressureState) MarshalJSON() ([]byte, error) {
	type shown PressureState
	s.Level, s.Notified = cmp.Or(s.Level, LevelNone), cmp.Or(s.Notified, LevelNone)
	return json.Marshal(shown(s))
}

// Config holds the parameters of a fold (S1.4, ADR-0029). The zero value means the defaults.
type Config struct {
	Pressure Thresholds `json:"pressure"`
	// Windows has the windows of models for which the lane has no sample with a window.
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

// level returns the level of a usage.
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

// Windows maps prefixes of model ids to context windows, in tokens; the longest prefix wins. Headless sessions need it, because
// their samples have no window (S1.3).
type Windows map[string]int64

// size returns the context window of a model in tokens, 0 if unknown.
func (w Windows) size(model string) int64 {
	var longest string
	for prefix := range w {
		if len(prefix) > len(longest) && strings.HasPrefix(model, prefix) {
			longest = prefix
		}
	}
	return w[longest]
}

// WithDefaults returns a map with the entries of both. If both have a prefix, that of w wins.
func (w Windows) WithDefaults(defaults Windows) Windows {
	all := Windows{}
	maps.Copy(all, defaults)
	maps.Copy(all, w)
	return all
}

// Equal reports whether two configurations are equal.
func (c Config) Equal(d Config) bool {
	return c.Pressure == d.Pressure && maps.Equal(c.Windows, d.Windows)
}
