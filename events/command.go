package events

import (
	"cmp"

	"journal/events/shell/failure"
)

// CommandRan records that a shell command ended, or was started in the background. A call that the person refused or
// interrupted did not run a command.
type CommandRan struct {
	Command string `json:"command"`
	About   string `json:"about,omitempty"` // its purpose, in the agent's words
	Cwd     string `json:"cwd,omitempty"`
	Failed  bool   `json:"failed,omitempty"`
	Exit    int    `json:"exit,omitempty"` // 0 also if unknown
	Error   string `json:"error,omitempty"`
	Output  string `json:"output,omitempty"`
	Use     string `json:"use,omitempty"`
	Millis  int64  `json:"ms,omitempty"`
	// Mark is the output line that shows a failure which the exit code hides, for example after a pipe. It is stored, so that
	// old states stay the same when other marks become known.
	Mark string `json:"mark,omitempty"`
	// Found lists what a failed test, build or linter found, one finding a line, if the stored output is cut and there are several.
	Found string `json:"found,omitempty"`
	// Outcome is the result of a test, build or linter, as in its output: "ok", "0 issues", "FAIL: TestX". It is empty
	// if the output has none.
	Outcome string `json:"outcome,omitempty"`
	// Background is the client's id of a command that continues in the background; BackgroundEnded reports its end.
	Background string `json:"background,omitempty"`
	// Person is set if the person ran the command in the client, and not the agent. Its exit code is then unknown.
	Person bool `json:"person,omitempty"`
}

func (CommandRan) event() {}

var _ = declare[CommandRan]("command.ran", "a shell command ended",
	fromSome(ToolEnd, func(h Hook) (CommandRan, bool) {
		t := h.Tool
		return CommandRan{
			Command: t.Command, About: t.About, Cwd: h.Cwd, Failed: t.Failed, Exit: t.Exit,
			Error: t.Error, Output: t.Output, Use: t.Use, Millis: t.Millis,
			Mark: t.Mark, Found: t.Found, Outcome: failure.Outcome(t.Command, cmp.Or(t.Output, t.Error)), Background: t.Background, Person: t.Person,
		}, t.Action == RunCommand && !t.Refused && !t.Aborted
	}))

// CommandExited is the exit code of a failed shell command whose hook reported none. It usually comes from the transcript.
type CommandExited struct {
	Use   string `json:"use"` // the tool call, as in CommandRan
	Exit  int    `json:"exit"`
	Error string `json:"error,omitempty"` // the command's output
}

func (CommandExited) event() {}

var _ = declare[CommandExited]("command.exited", "a shell command failed whose hook reported no exit code",
	from(CommandExit, func(h Hook) CommandExited {
		return CommandExited{Use: h.Tool.Use, Exit: h.Tool.Exit, Error: h.Tool.Error}
	}))

// BackgroundEnded records how a background task ended: a command that outlived its call, or a subagent.
type BackgroundEnded struct {
	Task   string `json:"task"`           // the client's id of the task
	Use    string `json:"use,omitempty"`  // the tool call that started it
	Status string `json:"status"`         // in the client's words: completed, failed, killed, stopped
	Exit   int    `json:"exit,omitempty"` // exit code, 0 also if unknown
	Text   string `json:"text,omitempty"` // the client's description of the end, one line
}

func (BackgroundEnded) event() {}

var _ = declare[BackgroundEnded]("background.ended", "a task of the background ended", irreversible,
	fromEach(func(h Hook) []BackgroundEnded { return h.Ended }))

// ToolStarted records that a tool call was about to run. It may never have run: a refused or interrupted call has no end.
type ToolStarted struct {
	Tool string `json:"tool"`
	Use  string `json:"use,omitempty"`
}

func (ToolStarted) event() {}

var _ = declare[ToolStarted]("tool.started", "a tool call was about to run",
	from(ToolStart, func(h Hook) ToolStarted { return ToolStarted{Tool: h.Tool.Name, Use: h.Tool.Use} }))

// ToolUsed records the end of a tool call that no more specific event records: of a tool without an event of its own, a
// failed call, or an aborted command.
type ToolUsed struct {
	Tool   string   `json:"tool"`
	Use    string   `json:"use,omitempty"`
	Paths  []string `json:"paths,omitempty"`
	Failed bool     `json:"failed,omitempty"`
	Error  string   `json:"error,omitempty"`
	Millis int64    `json:"ms,omitempty"`
	// Aborted is set if the call was aborted, as in ToolCall.
	Aborted bool `json:"aborted,omitempty"`
	// Query is the text for which the call searched files.
	Query string `json:"query,omitempty"`
	// Writes is set if the call would have written Paths.
	Writes bool `json:"writes,omitempty"`
}

func (ToolUsed) event() {}

var _ = declare[ToolUsed]("tool.used", "a tool call ended that has no event of its own, or failed",
	fromSome(ToolEnd, func(h Hook) (ToolUsed, bool) {
		t := h.Tool
		hasOwnEvent := t.Refused || t.Action == RunCommand && !t.Aborted || t.Action != OtherTool && !t.Failed
		return ToolUsed{Tool: t.Name, Use: t.Use, Paths: t.Paths, Failed: t.Failed, Error: t.Error, Millis: t.Millis, Aborted: t.Aborted, Query: t.Query, Writes: t.Action == WriteFile || t.Action == EditFile}, !hasOwnEvent
	}))

// ToolRefused records that the person refused a tool call, which is no failure of the tool. Most clients call no hook for
// it; their transcripts report it.
type ToolRefused struct {
	Tool   string `json:"tool"`
	Target string `json:"target,omitempty"` // the command or the file
	Words  string `json:"text,omitempty"`   // the person's reason; may be empty
	Use    string `json:"use,omitempty"`
	// Passages lists the passages that a refused edit would have changed, as far as the agent reports them.
	Passages []Passage `json:"passages,omitempty"`
}

func (ToolRefused) event() {}

var _ = declare[ToolRefused]("tool.refused", "the person refused a tool call",
	fromSome(ToolEnd, func(h Hook) (ToolRefused, bool) {
		t := h.Tool
		r := ToolRefused{Tool: t.Name, Target: cmp.Or(t.Command, t.File), Words: t.Words, Use: t.Use}
		if len(t.Paths) > 0 {
			r.Target = cmp.Or(r.Target, t.Paths[0])
			r.Passages = t.passagesIn(t.Paths[0])
		}
		return r, t.Refused
	}))
