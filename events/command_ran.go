package events

// CommandRan says that a shell command ended.
type CommandRan struct {
	Command string `json:"command"`
	About   string `json:"about,omitempty"` // what the agent said it is for
	Cwd     string `json:"cwd,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Exit    int    `json:"exit,omitempty"` // 0 also when unknown
	Error   string `json:"error,omitempty"`
	Output  string `json:"output,omitempty"`
	Use     string `json:"use,omitempty"`
	Millis  int64  `json:"ms,omitempty"`
}

func (CommandRan) event() {}

var _ = declare("command.ran", "a shell command ended",
	from(func(h Hook) (CommandRan, bool) {
		if h.Kind != ToolEnd || h.Tool.Action != RunCommand {
			return CommandRan{}, false
		}
		t := h.Tool
		return CommandRan{
			Command: t.Command, About: t.About, Cwd: h.Cwd, Failed: t.Failed, Exit: t.Exit,
			Error: t.Error, Output: t.Output, Use: t.Use, Millis: t.Millis,
		}, true
	}),
)
