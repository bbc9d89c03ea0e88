// Package cursor supports Cursor's hooks, as of its SDK 1.0.32 (docs/CLIENTS.md §15). Cursor also calls the hooks in other agents'
// settings, with its own payloads. These are recorded as Cursor's (see agents.Dialect.Sent).
package cursor

import (
	"cmp"
	"encoding/json"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/journal/wire/frame"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "cursor"

// Dialect is the dialect of Cursor's hooks.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "cursor-agent --resume",
	Vars:   agents.Vars{Project: frame.CursorProject},
	Names: agents.Names{
		Hook: "hook_event_name", Session: "session_id", Lane: "subagent_id", Turn: "generation_id",
		LaneType: "subagent_type", Cwd: "cwd", Trigger: "trigger", Model: "model", Transcript: "transcript_path",
	},
	Kinds: kinds,
	Limits: payload.Limits{
		Whole: payload.Paths("prompt", "text", "summary", "task"),
		Drop:  payload.Paths("user_email"),
	},
	Correct: func(h *events.Hook, p *agents.Payload) {
		p.DropText("subagent_type", "cwd")
		h.Session = cmp.Or(h.Session, p.From.Get("conversation_id").Str())
		for v := range p.From.Get("workspace_roots").Items() {
			h.Root = cmp.Or(h.Root, v.Str())
		}
	},
	Meaning: meaning,
	DropRepeated: func(h *events.Hook, p *agents.Payload) {
		p.DropRepeated("conversation_id", h.Session)
		if h.Kind != events.SessionStart {
			p.Drop("workspace_roots", "transcript_path", "cursor_version")
		}
	},
	Answers: []agents.AnswerRule{
		{At: events.SessionStart, Kind: wire.StartText},
		{At: events.PromptSubmit, Kind: wire.DueText},
		{At: events.ToolEnd, Kind: wire.DueAtWork, If: func(h events.Hook) bool { return h.Native == "postToolUse" }},
	},
	Answer: agents.ModelAnswer("additional_context", "sessionStart", "beforeSubmitPrompt", "postToolUse"),
	Sent: func(p payload.Value) bool {
		return p.Get("cursor_version").Exists() && p.Get("conversation_id").Exists()
	},
})

// kinds maps the client's events to their meaning.
var kinds = map[string]events.HookKind{
	"sessionStart":       events.SessionStart,
	"sessionEnd":         events.SessionEnd,
	"beforeSubmitPrompt": events.PromptSubmit,
	"preToolUse":         events.ToolStart,
	"postToolUse":        events.ToolEnd,
	"postToolUseFailure": events.ToolEnd,
	"afterAgentResponse": events.TurnEnd,
	"preCompact":         events.CompactIntent,
	"subagentStart":      events.SubagentStart,
	"subagentStop":       events.SubagentEnd,
}

// meaning implements agents.Dialect.Meaning.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Kind {
	case events.SessionStart:
		h.Source = "startup"
		p.DropText("model")
	case events.SessionEnd:
		h.Reason = p.Text("reason")
	case events.PromptSubmit:
		words, around := p.Prompt("prompt")
		h.Text, h.Machine = words, agents.ByMachine(words)
		return around
	case events.TurnEnd:
		h.Text = p.Text("text")
	case events.CompactIntent:
		p.DropText("trigger")
		h.Usage = &events.Usage{
			Percent: int(p.Number("context_usage_percent")), Tokens: p.Number("context_tokens"), Window: p.Number("context_window_size"),
		}
	case events.SubagentEnd:
		h.Text = p.Text("summary")
	case events.ToolStart, events.ToolEnd:
		return toolCall(h, p)
	}
	return nil
}

// toolCall reads the tool call of a hook. It returns the parts of the call's input that no event has.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.Text("tool_name"), Use: p.Text("tool_use_id"), Action: events.OtherTool}
	h.Tool = t
	if h.Kind == events.ToolStart {
		return nil
	}
	in := agents.Members{From: p.From.Get("tool_input")}
	t.Millis = p.Number("duration")
	if t.Failed = h.Native == "postToolUseFailure"; t.Failed {
		t.Error = p.Text("error_message")
		t.Aborted, _ = p.From.Get("is_interrupt").Bool()
	}
	output := p.From.Get("tool_output").Str()
	switch t.Name {
	case "Shell":
		if t.Aborted || agents.IsJournalCommand(in.From.Get("command")) {
			break
		}
		t.Action, t.Command = events.RunCommand, in.Text("command")
		var result struct {
			ExitCode int    `json:"exitCode"`
			Stdout   string `json:"stdout"`
			Stderr   string `json:"stderr"`
		}
		if json.Unmarshal([]byte(output), &result) == nil {
			p.Drop("tool_output")
			// The redaction of the encoded text does not recognise a secret after an escaped \n.
			t.Output = redact.Text(result.Stdout + result.Stderr)
			if result.ExitCode != 0 {
				agents.SetExit(t, result.ExitCode)
			}
		}
	case "Read":
		agents.SetFile(h.Tool, h.Cwd, events.ReadFile, &in)
	case "Write":
		agents.SetFile(h.Tool, h.Cwd, events.WriteFile, &in)
	case "Edit", "StrReplace":
		agents.SetFile(h.Tool, h.Cwd, events.EditFile, &in)
	case "Grep":
		t.Query = in.From.Get("pattern").Str()
	}
	p.Drop("tool_input")
	return agents.RestMember("tool_input", in.Rest())
}
