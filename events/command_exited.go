package events

// CommandExited says with which exit code a shell command ended, where the hook that told
// of the command told none and the agent's transcript does. Only failures are told.
type CommandExited struct {
	Use   string `json:"use"` // the tool call, as in CommandRan
	Exit  int    `json:"exit"`
	Error string `json:"error,omitempty"` // its output
}

func (CommandExited) event() {}

var _ = declare("command.exited", "a shell command failed, whose hook told no exit code",
	from(func(h Hook) (CommandExited, bool) {
		if h.Kind != CommandExit || h.Tool == nil {
			return CommandExited{}, false
		}
		return CommandExited{Use: h.Tool.Use, Exit: h.Tool.Exit, Error: h.Tool.Error}, true
	}),
)
