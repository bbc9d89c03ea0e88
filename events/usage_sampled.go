package events

// UsageSampled says how full the agent's context was (S1.3).
type UsageSampled struct {
	Percent int    `json:"percent"` // 0 to 100; counts only with a window
	Tokens  int64  `json:"tokens,omitempty"`
	Window  int64  `json:"window,omitempty"` // tokens in all; 0 unknown: a headless session tells its tokens alone
	Model   string `json:"model,omitempty"`
	Client  string `json:"client,omitempty"` // version of the agent
}

func (UsageSampled) event() {}

var _ = declare("usage.sampled", "how full the agent's context was",
	appendable[UsageSampled](),
	from(func(h Hook) (UsageSampled, bool) {
		if h.Usage == nil {
			return UsageSampled{}, false
		}
		return UsageSampled{Percent: h.Usage.Percent, Tokens: h.Usage.Tokens, Window: h.Usage.Window, Model: h.Model, Client: h.Client}, true
	}),
)
