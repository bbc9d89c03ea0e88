package events

// FileWritten says that the agent wrote a file or edited a part of it.
type FileWritten struct {
	Path string `json:"path"`
	Op   string `json:"op"` // write, edit
	Tool string `json:"tool,omitempty"`
	Use  string `json:"use,omitempty"`
}

func (FileWritten) event() {}

var _ = declare("file.written", "the agent wrote or edited a file",
	fromEach(func(h Hook) []FileWritten {
		if h.Kind != ToolEnd || h.Tool.Failed {
			return nil
		}
		op := map[Action]string{WriteFile: "write", EditFile: "edit"}[h.Tool.Action]
		if op == "" {
			return nil
		}
		var all []FileWritten
		for _, p := range h.Tool.Paths {
			all = append(all, FileWritten{Path: p, Op: op, Tool: h.Tool.Name, Use: h.Tool.Use})
		}
		return all
	}),
)
