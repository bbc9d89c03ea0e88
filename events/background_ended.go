package events

// BackgroundEnded says how a task of the background ended: a command that went on
// after its call, or a subagent.
type BackgroundEnded struct {
	Task   string `json:"task"` // the client's id
	Use    string `json:"use,omitempty"`
	Status string `json:"status"` // in the client's words: completed, failed, killed
	Exit   int    `json:"exit,omitempty"`
	Text   string `json:"text,omitempty"`
}

func (BackgroundEnded) event() {}

var _ = declare("background.ended", "a task of the background ended",
	from(func(h Hook) (BackgroundEnded, bool) {
		if h.Kind != PromptSubmit || h.Ended == nil {
			return BackgroundEnded{}, false
		}
		e := h.Ended
		return BackgroundEnded{Task: e.Task, Use: e.Use, Status: e.Status, Exit: e.Exit, Text: e.Text}, true
	}),
)
