// Package qwen knows Qwen Code as of client 0.24.4 (docs/CLIENTS.md §18): its hooks in qwen.go and tools.go, its transcripts
// (chats) in transcript_reader.go, its installation in install.go. Its hooks are nearly those of Claude Code, its tools those
// of Gemini CLI.
package qwen

import (
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/wire"
	"journal/journal/wire/frame"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "qwen"

// promptContext is the element in which the client puts the text of hooks behind a prompt.
const promptContext = "qwen:user-prompt-submit-context"

// Dialect is declared for look-ups by name. The client also passes on its provider's key, so nothing of the environment is
// ever recorded.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "qwen --resume",
	Vars:   agents.Vars{Project: frame.QwenProject, Session: "QWEN_CODE_SESSION_ID"},
	Tags:   []string{promptContext, "qwen:session-start-context", "state_snapshot", "task-notification"},
	Names: agents.Names{
		Hook: "hook_event_name", Session: "session_id", Lane: "agent_id", Turn: "prompt_id",
		LaneType: "agent_type", Cwd: "cwd", Source: "source", Trigger: "trigger", Model: "model", Transcript: "transcript_path",
	},
	Kinds: kinds,
	// Words of a person or the model are kept whole; file contents are left out.
	Limits: payload.Limits{
		Whole: payload.Paths("prompt", "submitted_prompt", "compact_summary", "custom_instructions", "last_assistant_message",
			"tool_input.todos[].content", "tool_input.plan", "tool_input.prompt"),
		Drop: payload.Paths("background_tasks", "crons", "tool_response.returnDisplay.fileDiff",
			"tool_response.returnDisplay.originalContent", "tool_response.returnDisplay.newContent"),
	},
	Outputs: []string{"tool_response.llmContent", "error"},
	Place: func(h *events.Hook, p *agents.Payload) {
		if h.Kind == events.PromptSubmit && p.From.Get("prompt").Str() == "" && !p.From.Get("submitted_prompt").Exists() {
			h.Kind = events.Nothing // the results of tools go to the model
		}
	},
	Meaning: meaning,
	Around:  surroundings,
	Owed:    owed,
	Answer: func(h events.Hook, to, text string) []byte {
		if to == wire.ToSummariser && text != "" && h.Kind == events.CompactIntent {
			return agents.Answer(h.Native, text, "")
		}
		return agents.Speak(h, to, text, textEvents)
	},
})

// kinds maps the client's events to their meaning. All others have no meaning yet and are kept as received.
var kinds = map[string]events.HookKind{
	"SessionStart":       events.SessionStart,
	"SessionEnd":         events.SessionEnd,
	"UserPromptSubmit":   events.PromptSubmit,
	"PreToolUse":         events.ToolStart,
	"PostToolUse":        events.ToolEnd,
	"PostToolUseFailure": events.ToolEnd,
	"PreCompact":         events.CompactIntent,
	"PostCompact":        events.CompactEnd,
	"Stop":               events.TurnEnd,
	"StopFailure":        events.TurnFail,
	"SubagentStart":      events.SubagentStart,
	"SubagentStop":       events.SubagentEnd,
}

// textEvents are the events whose additionalContext the model reads. That of SessionStart is a part of the system prompt
// until the next start.
var textEvents = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}

// The start after a compaction gets the recovery text. After an automatic compaction the client does not wait for this start:
// the text is in the second request after it. A process that ends before loses it, and so does one that resumes the session.
// A subagent has no such start: its next ended tool call gets the text.
var owed = []agents.Owed{
	{At: events.ContextRestart, Answer: wire.RecoveryText},
	{At: events.SessionStart, Answer: wire.RecoveryText, If: func(h events.Hook, _ agents.Env) bool { return h.Source == "resume" }},
	{At: events.SessionStart, Answer: wire.StartText},
	{At: events.PromptSubmit, Answer: wire.DueText, If: func(h events.Hook, _ agents.Env) bool { return !h.Machine }},
	// The client writes a text behind the error of a failed call.
	{At: events.ToolEnd, Answer: wire.DueAtWork, If: func(h events.Hook, _ agents.Env) bool { return !h.Tool.Failed }},
	{At: events.CompactIntent, Answer: wire.Guidance},
	{At: events.TurnEnd, Answer: wire.StopAdvice, If: agents.OnMain},
}

// meaning sets the fields of a hook by its kind, and takes from the payload what its event has. It returns the tool
// members that go into the rest.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Kind {
	case events.SessionStart:
		if h.Source == "compact" {
			h.Kind = events.ContextRestart
		}
		p.Text("source")
		p.Text("model")
	case events.SessionEnd:
		h.Reason = p.Text("reason")
	case events.PromptSubmit:
		return prompt(h, p)
	case events.ToolStart, events.ToolEnd:
		return toolCall(h, p)
	case events.CompactIntent:
		p.Text("trigger")
		h.Text = p.Text("custom_instructions")
	case events.CompactEnd:
		p.Text("trigger")
		h.Text = summaryIn(p.Text("compact_summary"))
	case events.TurnEnd, events.SubagentEnd:
		h.Text = p.Text("last_assistant_message")
		p.Drop("stop_hook_active", "context_usage", "context_limit", "input_tokens", "agent_transcript_path")
	case events.TurnFail:
		h.Reason, h.Text = p.Text("error"), p.Text("error_details")
	}
	return nil
}

// prompt reads a prompt. prompt has what the client made of the person's words, which are in submitted_prompt; a client that
// an editor runs has only the former.
func prompt(h *events.Hook, p *agents.Payload) []agents.Member {
	typed := p.Text("submitted_prompt")
	if typed != "" {
		p.Echo("prompt", typed)
	} else {
		typed = p.Text("prompt")
	}
	words, around := agents.Words(typed)
	h.Text, h.Machine = words, h.Lane != "" || agents.ByMachine(words) || strings.HasPrefix(words, notice)
	h.Ended = agents.EndsOf(noticeIn(words))
	return agents.Beside(around)
}

// notice begins what the client sends in the person's place when a background task has ended.
const notice = "<task-notification>"

func noticeIn(words string) string {
	if !strings.HasPrefix(words, notice) {
		return ""
	}
	return words
}

// summaryIn returns the summary in the text that begins a compacted context.
func summaryIn(text string) string {
	if summary := agents.Tag(text, "state_snapshot"); summary != "" {
		return summary
	}
	return text
}

// surroundings takes from the payload what is known anyway about where the hook ran.
func surroundings(h *events.Hook, p *agents.Payload) {
	// A session's transcript is always the same file; its starts name it.
	if h.Kind != events.ContextRestart {
		p.Text("transcript_path")
	}
	p.Drop("timestamp", "permission_mode")
	p.TakeCwd(h)
	switch h.Kind {
	case events.SubagentStart, events.SubagentEnd:
		p.Text("agent_type")
	}
}
