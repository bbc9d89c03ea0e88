package projections

import (
	"cmp"
	"encoding/json"
	"maps"
	"strings"

	"journal/events"
)

// The levels of pressure, rising.
const (
	LevelNone   = "none"
	LevelInfo   = "info"
	LevelUrgent = "urgent"
)

// PressureState is how full the context is, and what was said about it.
type PressureState struct {
	UsedPercent int    `json:"used_percent"`
	Window      int64  `json:"window,omitempty"` // tokens in all
	Level       string `json:"level"`            // none, info, urgent, by the fold's thresholds
	Notified    string `json:"notified"`         // the level that was told since usage was below it
	At          Stamp  `json:"at,omitempty"`
	Seq         uint64 `json:"seq,omitempty"`

	// Cycle counts how often the notices were armed anew: by a compaction, and
	// by a fall of the usage. A notice is claimed once per cycle and level.
	Cycle int `json:"-"`
	// Tokens is the newest sample's; AutoAt is the smallest number of tokens at
	// which the client compacted by itself, 0 unknown.
	Tokens, AutoAt int64 `json:"-"`
	// Compacting says that the client began to compact by itself, and since then nothing
	// was told; AutoBefore is what AutoAt was before that.
	Compacting bool  `json:"-"`
	AutoBefore int64 `json:"-"`
	// Since counts the calls of tools that ended since the newest sample.
	Since int `json:"-"`
	// Told is the window that the client told last.
	Told int64 `json:"-"`
	// NotifiedSeq is the newest notice, and NotifiedPercent the usage at it. Compound are the project's compounds:
	// after one the level is told at once. AfterCompound says that the newest notice was such a one: then
	// another compound brings none until the usage rose by five points (ADR-0026 rule 4).
	NotifiedSeq     uint64        `json:"-"`
	NotifiedPercent int           `json:"-"`
	Compound        CompoundState `json:"-"`
	AfterCompound   bool          `json:"-"`
}

// Pressure tells how full the context is. A compaction empties it before any
// sample says so (docs/CLIENTS.md §9).
var Pressure = Declare("pressure", 7, Lane, "how full the context is, and what was said about it",
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
	percent, window, ok := usage(e, cmp.Or(s.Told, at.Config.Windows.of(e.Model)))
	if !ok {
		return s
	}
	s.UsedPercent, s.Tokens, s.Window, s.Since = percent, e.Tokens, window, 0
	if e.Window > 0 {
		s.Told = e.Window
	}
	switch {
	case s.Compacting && s.Tokens > 0:
		// Who reads a transcript is a moment late: this is what the client began at.
		s.AutoAt, s.Compacting = s.AutoBefore, false
		if s.AutoAt == 0 || s.Tokens < s.AutoAt {
			s.AutoAt = s.Tokens
		}
	case 2*s.Tokens > 3*s.AutoAt:
		s.AutoAt = 0 // it holds far more, and does not compact
	}
	s.At, s.Seq = Stamp(at.At), at.Seq
	s.Level = at.Config.Pressure.level(s.effective())
	if rank(s.Level) < rank(s.Notified) {
		s.Notified, s.AfterCompound = s.Level, false
		s.Cycle++
	}
	return s
}

// usage gives how full a context is, 0 to 100, and its window. A sample without a window is
// measured by the one before. Without any window, tokens say nothing (S1.11).
func usage(e events.UsageSampled, before int64) (percent int, window int64, ok bool) {
	switch {
	case e.Window > 0:
		return min(max(e.Percent, 0), 100), e.Window, true
	case e.Window == 0 && before > 0:
		return PercentOf(e.Tokens, before), before, true
	default:
		return 0, before, false
	}
}

// PercentOf gives how full a window is, 0 to 100, whole percents: 74.9 % is not 75. The window is more than 0.
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

// effective is the percentage that levels go by. A client told to compact at
// 67,000 of 100,000 tokens never gets to 75 percent of its window, so the point
// at which it was seen to compact counts too (ADR-0026).
func (s PressureState) effective() int {
	if s.AutoAt == 0 {
		return s.UsedPercent
	}
	return max(s.UsedPercent, PercentOf(s.Tokens, s.AutoAt))
}

// maxSince is how many calls of tools may lie between a sample and a compaction that the
// client began at about that usage: those of one answer of the model.
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

// Due says whether the level is to be told now, and about which event: the one
// that armed it, a compound or 0.
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

func rank(level string) int {
	switch level {
	case LevelInfo:
		return 1
	case LevelUrgent:
		return 2
	}
	return 0
}

// MarshalJSON names the levels even before the first sample.
func (s PressureState) MarshalJSON() ([]byte, error) {
	type shown PressureState
	s.Level, s.Notified = cmp.Or(s.Level, LevelNone), cmp.Or(s.Notified, LevelNone)
	return json.Marshal(shown(s))
}

// Config is the parameters of a fold. They are part of what a state was derived
// with: another configuration derives other states from the same log (S1.4,
// ADR-0029). The zero value means the defaults.
type Config struct {
	Pressure Thresholds `json:"pressure"`
	// Windows are those of models that no sample of the lane tells.
	Windows Windows `json:"windows,omitempty"`
}

// Thresholds are the levels of context usage in percent, 1 to 100. Zero means
// the default: 60 informative, 75 urgent (S1.4).
type Thresholds struct {
	Info   int `json:"info,omitempty"`
	Urgent int `json:"urgent,omitempty"`
}

// Levels gives both, the defaults where nothing is set.
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

// Windows gives the context windows in tokens of models, by what their ids begin with:
// the longest beginning counts. Samples of headless sessions tell the model and its
// tokens only (S1.3).
type Windows map[string]int64

// of gives the window of a model, 0 when it is unknown.
func (w Windows) of(model string) int64 {
	var longest string
	for beginning := range w {
		if len(beginning) > len(longest) && strings.HasPrefix(model, beginning) {
			longest = beginning
		}
	}
	return w[longest]
}

// Over gives the windows with those of others in place of the equal ones.
func (w Windows) Over(others Windows) Windows {
	all := maps.Clone(others)
	if all == nil {
		all = Windows{}
	}
	maps.Copy(all, w)
	return all
}

// Equal says whether two configurations derive the same states.
func (c Config) Equal(d Config) bool {
	return c.Pressure == d.Pressure && maps.Equal(c.Windows, d.Windows)
}
