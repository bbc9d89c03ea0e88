package events

// ToolUsed says that a tool call ended, for tools whose effect has no event of
// its own, and for calls of the others that failed.
type ToolUsed struct {
	Tool   string   `json:"tool"`
	Use    string   `json:"use,omitempty"`
	Paths  []string `json:"paths,omitempty"`
	Failed bool     `json:"failed,omitempty"`
	Error  string   `json:"error,omitempty"`
	Millis int64    `json:"ms,omitempty"`
}

func (ToolUsed) event() {}

var _ = declare("tool.used", "a tool call ended that has no event of its own, or failed",
	from(func(h Hook) (ToolUsed, bool) {
		t := h.Tool
		if h.Kind != ToolEnd || t.Refused || t.Action == RunCommand && !t.Void || t.Action != OtherTool && !t.Failed {
			return ToolUsed{}, false
		}
		return ToolUsed{Tool: t.Name, Use: t.Use, Paths: t.Paths, Failed: t.Failed, Error: t.Error, Millis: t.Millis}, true
	}),
)
