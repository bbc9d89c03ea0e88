package events

// UsageSampled says how full the agent's context was (S1.3).
type UsageSampled struct {
	Percent int    `json:"percent"` // 0 to 100
	Tokens  int64  `json:"tokens,omitempty"`
	Window  int64  `json:"window,omitempty"` // tokens in all
	Model   string `json:"model,omitempty"`
}

func (UsageSampled) event() {}

var _ = declare("usage.sampled", "how full the agent's context was",
	appendable[UsageSampled](),
	from(func(h Hook) (UsageSampled, bool) {
		if h.Kind != UsageSample || h.Usage == nil {
			return UsageSampled{}, false
		}
		return UsageSampled{Percent: h.Usage.Percent, Tokens: h.Usage.Tokens, Window: h.Usage.Window, Model: h.Model}, true
	}),
)
