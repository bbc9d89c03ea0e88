package projections

import "cmp"

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
