package events

import "cmp"

// ToolStarted says that a tool call was about to run. Alone it proves nothing:
// a refused or interrupted call has no end.
type ToolStarted struct {
	Tool string `json:"tool"`
	Use  string `json:"use,omitempty"`
}

func (ToolStarted) event() {}

var _ = declare[ToolStarted]("tool.started", "a tool call was about to run",
	from(ToolStart, func(h Hook) ToolStarted { return ToolStarted{Tool: h.Tool.Name, Use: h.Tool.Use} }))

// ToolUsed says that a tool call ended, for tools whose effect has no event of
// its own, and for calls of the others that failed.
type ToolUsed struct {
	Tool   string   `json:"tool"`
	Use    string   `json:"use,omitempty"`
	Paths  []string `json:"paths,omitempty"`
	Failed bool     `json:"failed,omitempty"`
	Error  string   `json:"error,omitempty"`
	Millis int64    `json:"ms,omitempty"`
	// Void says that the call never ran to an end of its own.
	Void bool `json:"void,omitempty"`
	// Query is what the call searched the files for.
	Query string `json:"query,omitempty"`
}

func (ToolUsed) event() {}

var _ = declare[ToolUsed]("tool.used", "a tool call ended that has no event of its own, or failed",
	fromSome(ToolEnd, func(h Hook) (ToolUsed, bool) {
		t := h.Tool
		elsewhere := t.Refused || t.Action == RunCommand && !t.Void || t.Action != OtherTool && !t.Failed
		return ToolUsed{Tool: t.Name, Use: t.Use, Paths: t.Paths, Failed: t.Failed, Error: t.Error, Millis: t.Millis, Void: t.Void, Query: t.Query}, !elsewhere
	}))

// ToolRefused says that the person did not want a tool call. It is no failure of
// the tool. Most clients call no hook for it; their transcripts tell.
type ToolRefused struct {
	Tool   string `json:"tool"`
	Target string `json:"target,omitempty"` // the command or the file
	Words  string `json:"words,omitempty"`  // what the person said, empty when they said nothing
	Use    string `json:"use,omitempty"`
}

func (ToolRefused) event() {}

var _ = declare[ToolRefused]("tool.refused", "the person refused a tool call",
	fromSome(ToolEnd, func(h Hook) (ToolRefused, bool) {
		t := h.Tool
		r := ToolRefused{Tool: t.Name, Target: cmp.Or(t.Command, t.File), Words: t.Words, Use: t.Use}
		if len(t.Paths) > 0 {
			r.Target = cmp.Or(r.Target, t.Paths[0])
		}
		return r, t.Refused
	}))
