package projections

// Config is the parameters of a fold. They are part of what a state was derived
// with: another configuration derives other states from the same log (S1.4,
// DECISIONS 3.11). The zero value means the defaults.
type Config struct {
	Pressure Thresholds `json:"pressure"`
}

// Thresholds are the levels of context usage in percent, 1 to 100. Zero means
// the default: 60 informative, 75 urgent (S1.4).
type Thresholds struct {
	Info   int `json:"info,omitempty"`
	Urgent int `json:"urgent,omitempty"`
}

func (t Thresholds) level(percent int) string {
	info, urgent := t.Info, t.Urgent
	if info == 0 {
		info = 60
	}
	if urgent == 0 {
		urgent = 75
	}
	switch {
	case percent >= urgent:
		return LevelUrgent
	case percent >= info:
		return LevelInfo
	default:
		return LevelNone
	}
}
