// Package codex supports Codex CLI as of client 0.171.0 (docs/CLIENTS.md §12): its hooks in codex.go and tools.go, its transcripts
// (rollouts) in transcript_*.go, its installation in install.go.
package codex

import (
	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/notes"
	"journal/journal/wire"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "codex"

// Dialect is the dialect of Codex' hooks. It reads no variable of the environment, which has the provider's key.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "codex resume",
	Tags: []string{
		"environment_context", "user_instructions", "instructions", "permissions instructions", "skills_instructions",
		"collaboration_mode", "turn_aborted", "user_shell_command", "subagent_notification",
	},
	Names: agents.Names{
		Hook: "hook_event_name", Session: "session_id", Turn: "turn_id",
		Lane:     "agent_id", // in hooks of a subagent, whose session_id is the parent's
		LaneType: "agent_type", Cwd: "cwd", Source: "source", Trigger: "trigger", Model: "model", Transcript: "transcript_path",
	},
	Kinds:  kinds,
	Memory: []notes.Memory{{Dir: ".codex/memories", Names: "*.md"}, {Names: "AGENTS.md", Loaded: "AGENTS.md"}},
	// Words of a person or the model are kept whole.
	Limits: payload.Limits{
		Whole: payload.Paths("prompt", "last_assistant_message", "tool_input.message", "tool_input.plan"),
	},
	Outputs:      []string{"tool_response"},
	Meaning:      func(h *events.Hook, p *agents.Payload) []agents.Member { return agents.HookMeaning(h, p, toolCall) },
	DropRepeated: dropRepeated,
	Answers:      answers,
	Answer:       answer,
})

// kinds maps the client's events to their meaning.
var kinds = map[string]events.HookKind{
	"SessionStart":     events.SessionStart,
	"SessionEnd":       events.SessionEnd,
	"UserPromptSubmit": events.PromptSubmit,
	"PreToolUse":       events.ToolStart,
	"PostToolUse":      events.ToolEnd,
	"PreCompact":       events.CompactIntent,
	"PostCompact":      events.CompactEnd,
	"Stop":             events.TurnEnd,
	"Interrupt":        events.TurnInterrupt,
	"SubagentStart":    events.SubagentStart,
	"SubagentStop":     events.SubagentEnd,
}

// answers implements agents.Dialect.Answers. The SessionStart after a compaction gets the recovery text. A subagent has no such hook, so
// its next tool call gets the text.
var answers = []agents.AnswerRule{
	{At: events.ContextRestart, Kind: wire.RecoveryText},
	{At: events.SessionStart, Kind: wire.StartText},
	{At: events.PromptSubmit, Kind: wire.DueText, If: agents.OnMain},
	{At: events.ToolEnd, Kind: wire.DueAtWork},
	{At: events.TurnEnd, Kind: wire.StopAdvice},
}

// dropRepeated implements agents.Dialect.DropRepeated. It also sets Headless at the start of a session.
func dropRepeated(h *events.Hook, p *agents.Payload) {
	if h.Kind == events.SessionStart && h.Lane == "" && !p.Env.Past {
		meta, _ := metaOf(p.Env.Path(h.Transcript)) // empty if the transcript cannot be read
		h.Headless = meta.headless()
	}
	// session.started has the path of the transcript, which is always the same file; context.restarted has no field for it.
	// A subagent has a file of its own.
	if h.Kind != events.ContextRestart && h.Lane == "" {
		p.DropText("transcript_path")
	}
	p.TakeCwd(h)
	switch h.Kind {
	case events.SubagentStart, events.SubagentEnd, events.Other:
		p.DropText("agent_type")
	}
}

// textEvents lists the events whose additionalContext the model reads. At other events the client rejects the member.
var textEvents = []string{"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}

// answer implements agents.Dialect.Answer. The client accepts no output at SessionEnd, and no message for the person at events of the
// kind Other.
func answer(h events.Hook, to, text string) []byte {
	if h.Kind == events.SessionEnd || to == wire.ToPerson && h.Kind == events.Other {
		return nil
	}
	return agents.HookAnswer(h, to, text, textEvents)
}
