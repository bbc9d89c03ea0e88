package events

// ToolStarted says that a tool call was about to run. Alone it proves nothing:
// a refused or interrupted call has no end.
type ToolStarted struct {
	Tool string `json:"tool"`
	Use  string `json:"use,omitempty"`
}

func (ToolStarted) event() {}

var _ = declare("tool.started", "a tool call was about to run",
	from(func(h Hook) (ToolStarted, bool) {
		if h.Kind != ToolStart {
			return ToolStarted{}, false
		}
		return ToolStarted{Tool: h.Tool.Name, Use: h.Tool.Use}, true
	}),
)
