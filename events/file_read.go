package events

// FileRead says that the agent read a file.
type FileRead struct {
	Path string `json:"path"`
	Use  string `json:"use,omitempty"`
}

func (FileRead) event() {}

var _ = declare("file.read", "the agent read a file",
	fromEach(func(h Hook) []FileRead {
		if h.Kind != ToolEnd || h.Tool.Action != ReadFile || h.Tool.Failed {
			return nil
		}
		var all []FileRead
		for _, p := range h.Tool.Paths {
			all = append(all, FileRead{Path: p, Use: h.Tool.Use})
		}
		return all
	}),
)
