// Package qwen supports Qwen Code as of client 0.24.4 (docs/CLIENTS.md §18): its hooks in qwen.go and tools.go, its transcripts
// (chats) in transcript_reader.go, its installation in install.go. Its hooks resemble those of Claude Code, its tools those of
// Gemini CLI.
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

// promptContext is the name of the element in which the client adds the texts of hooks to a prompt.
const promptContext = "qwen:user-prompt-submit-context"

// Dialect is the dialect of Qwen Code's hooks. Of the environment, which has the provider's key, a hook reads only variables of
// package frame.
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
			"tool_input.todos[].content", "tool_input.plan", "tool_input.prompt", "tool_input.message"),
		Drop: payload.Paths("background_tasks", "crons", "tool_response.returnDisplay.fileDiff",
			"tool_response.returnDisplay.originalContent", "tool_response.returnDisplay.newContent"),
	},
	Outputs: []string{"tool_response.llmContent", "error"},
	Correct: func(h *events.Hook, p *agents.Payload) {
		if h.Kind == events.PromptSubmit && p.From.Get("prompt").Str() == "" && !p.From.Get("submitted_prompt").Exists() {
			h.Kind = events.Nothing // no prompt: the client also calls this hook when it passes results of tools to the model
		}
	},
	Meaning:      meaning,
	DropRepeated: dropRepeated,
	Answers:      answers,
	Answer: func(h events.Hook, to, text string) []byte {
		if to == wire.ToSummariser && text != "" && h.Kind == events.CompactIntent {
			return agents.Answer(h.Native, text, "")
		}
		return agents.HookAnswer(h, to, text, textEvents)
	},
})

// kinds maps the client's events to their meaning.
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

// textEvents lists the events whose additionalContext the model reads. The text of SessionStart is a part of the system prompt until
// the next start.
var textEvents = []string{"SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}

// answers implements agents.Dialect.Answers. The SessionStart after a compaction gets the recovery text. After an automatic compaction
// the client does not wait for this hook, so the text is only in the second request after the compaction. A process that ends before
// that request loses the text, so a resumed session gets the text again. A subagent has no such hook, so its next tool call gets the
// text.
var answers = []agents.AnswerRule{
	{At: events.ContextRestart, Kind: wire.RecoveryText},
	{At: events.SessionStart, Kind: wire.RecoveryText, If: func(h events.Hook) bool { return h.Source == "resume" }},
	{At: events.SessionStart, Kind: wire.StartText},
	{At: events.PromptSubmit, Kind: wire.DueText, If: func(h events.Hook) bool { return !h.Machine }},
	// At a failed call the client would add the text to the error.
	{At: events.ToolEnd, Kind: wire.DueAtWork, If: func(h events.Hook) bool { return !h.Tool.Failed }},
	{At: events.CompactIntent, Kind: wire.Guidance},
	{At: events.TurnEnd, Kind: wire.StopAdvice, If: agents.OnMain},
}

// meaning implements agents.Dialect.Meaning.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	if h.Kind == events.PromptSubmit {
		return prompt(h, p)
	}
	more := agents.HookMeaning(h, p, toolCall)
	switch h.Kind {
	case events.CompactEnd:
		h.Text = summaryIn(h.Text)
	case events.TurnEnd, events.SubagentEnd:
		p.Drop("stop_hook_active", "context_usage", "context_limit", "input_tokens", "agent_transcript_path")
	}
	return more
}

// prompt reads a prompt. The member "submitted_prompt" has the person's words, and "prompt" the text that the client made of them. A
// client that an editor runs sends only "prompt".
func prompt(h *events.Hook, p *agents.Payload) []agents.Member {
	typed := p.Text("submitted_prompt")
	if typed != "" {
		p.DropRepeated("prompt", typed)
	} else {
		typed = p.Text("prompt")
	}
	words, around := agents.Words(typed)
	h.Text, h.Machine = words, h.Lane != "" || agents.ByMachine(words)
	if strings.HasPrefix(words, notice) {
		h.Machine, h.Ended = true, agents.EndsOf(words)
	}
	return agents.AroundMember(around)
}

// notice is the beginning of the prompt that the client writes when a background task has ended.
const notice = "<task-notification>"

// summaryIn returns the summary in text, the beginning of a compacted context, or all of text if no element marks the summary.
func summaryIn(text string) string {
	if summary := agents.Tag(text, "state_snapshot"); summary != "" {
		return summary
	}
	return text
}

// dropRepeated implements agents.Dialect.DropRepeated.
func dropRepeated(h *events.Hook, p *agents.Payload) {
	// session.started has the path of the transcript, which is always the same file; context.restarted has no field for it.
	if h.Kind != events.ContextRestart {
		p.DropText("transcript_path")
	}
	p.Drop("timestamp", "permission_mode")
	p.TakeCwd(h)
	switch h.Kind {
	case events.SubagentStart, events.SubagentEnd:
		p.DropText("agent_type")
	}
}
