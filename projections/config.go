package projections

import (
	"cmp"
	"maps"
	"strings"
)

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
