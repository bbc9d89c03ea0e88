// Package codex knows Codex CLI as of client 0.171.0 (docs/CLIENTS.md §12): its hooks in codex.go, its transcripts
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

// Dialect is declared for look-ups by name. The client sets no variables of its own, and passes on its provider's key:
// nothing of the environment is ever recorded.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "codex resume",
	Tags: []string{
		"environment_context", "user_instructions", "instructions", "permissions instructions", "skills_instructions",
		"collaboration_mode", "turn_aborted", "user_shell_command", "subagent_notification",
	},
	Names: agents.Names{
		Hook: "hook_event_name", Session: "session_id", Turn: "turn_id",
		Lane:     "agent_id", // the session is the parent's
		LaneType: "agent_type", Cwd: "cwd", Source: "source", Trigger: "trigger", Model: "model", Transcript: "transcript_path",
	},
	Kinds:  kinds,
	Memory: []notes.Memory{{Dir: ".codex/memories", Names: "*.md"}, {Names: "AGENTS.md", Loaded: "AGENTS.md"}},
	// Words of a person or the model are kept whole.
	Limits: payload.Limits{
		Whole: payload.Paths("prompt", "last_assistant_message", "tool_input.message", "tool_input.plan"),
	},
	Outputs: []string{"tool_response"},
	Meaning: meaning,
	Around:  surroundings,
	Owed:    owed,
	Answer:  answer,
})

// kinds maps the client's events to their meaning. All others have no meaning yet and are kept as received.
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
		// A subagent's prompt is the task from its parent.
		words, around := p.Prompt("prompt")
		h.Text, h.Machine = words, h.Lane != "" || agents.ByMachine(words)
		return around
	case events.ToolStart, events.ToolEnd:
		return toolCall(h, p)
	case events.CompactIntent, events.CompactEnd:
		p.Text("trigger")
	case events.TurnEnd, events.SubagentEnd:
		h.Text = p.Text("last_assistant_message")
	}
	return nil
}

// The start after a compaction gets the recovery text. A subagent has no such start: its next ended tool call gets the
// text.
var owed = []agents.Owed{
	{At: events.ContextRestart, Answer: wire.RecoveryText},
	{At: events.SessionStart, Answer: wire.StartText},
	{At: events.PromptSubmit, Answer: wire.DueText, If: agents.OnMain},
	{At: events.ToolEnd, Answer: wire.DueAtWork},
	{At: events.TurnEnd, Answer: wire.StopAdvice},
}

// surroundings removes from the payload what other events already have about where the hook ran.
func surroundings(h *events.Hook, p *agents.Payload) {
	if h.Kind == events.SessionStart && h.Lane == "" && !p.Env.Past {
		meta, _ := metaOf(p.Env.Path(h.Transcript)) // without one nothing is known
		h.Headless = meta.headless()
	}
	// A session's transcript is always the same file; its starts name it. A subagent has its own.
	if h.Kind != events.ContextRestart && h.Lane == "" {
		p.Text("transcript_path")
	}
	p.TakeCwd(h)
	switch h.Kind {
	case events.SubagentStart, events.SubagentEnd, events.Other:
		p.Text("agent_type")
	}
}

// textEvents are the events whose additionalContext the model reads. The client checks a hook's output against the
// event's schema: for other events the member is an error, and SessionEnd has no output at all.
var textEvents = []string{"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}

func answer(h events.Hook, to, text string) []byte {
	if h.Kind == events.SessionEnd || to == wire.ToPerson && h.Kind == events.Other {
		return nil
	}
	return agents.Speak(h, to, text, textEvents)
}
