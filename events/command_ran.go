package events

// CommandRan says that a shell command ended, or was started in the background. A
// call that the person refused or interrupted ran no command.
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
	// Mark is the line of the output that shows a failure which the exit code hides,
	// as after a pipe. It is found and stored once, so that a later list of marks
	// changes no old state.
	Mark string `json:"mark,omitempty"`
	// Background is the client's id of a command that was started and goes on;
	// BackgroundEnded tells how it ended.
	Background string `json:"background,omitempty"`
	// Person says that the person ran it themselves, beside the agent; how it ended is
	// not told then.
	Person bool `json:"person,omitempty"`
}

func (CommandRan) event() {}

var _ = declare("command.ran", "a shell command ended",
	from(func(h Hook) (CommandRan, bool) {
		if h.Kind != ToolEnd || h.Tool.Action != RunCommand || h.Tool.Refused || h.Tool.Void {
			return CommandRan{}, false
		}
		t := h.Tool
		return CommandRan{
			Command: t.Command, About: t.About, Cwd: h.Cwd, Failed: t.Failed, Exit: t.Exit,
			Error: t.Error, Output: t.Output, Use: t.Use, Millis: t.Millis,
			Mark: t.Mark, Background: t.Background, Person: t.Person,
		}, true
	}),
)
