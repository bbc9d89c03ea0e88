// Package codex knows Codex CLI as of client 0.169.0 (docs/CLIENTS.md §12): its hooks in
// codex.go, its transcripts (rollouts) in transcript_*.go, its installation
// in install.go.
package codex

import (
	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/wire"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "codex"

// Dialect is declared for everybody who looks it up by name. The client sets no
// variables of its own, and passes its provider's key on: nothing of the environment is
// ever recorded.
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
	Kinds: kinds,
	// What a person or the model said is kept whole.
	Limits: payload.Limits{
		Total: 384 << 10, // as much as an event and its rest have room for (ADR-0014)
		Whole: payload.Paths("prompt", "last_assistant_message", "tool_input.message"),
	},
	Outputs: []string{"tool_response"},
	Meaning: meaning,
	Around:  surroundings,
	Owed:    owed,
	Answer:  answer,
})

// kinds says what the client's events mean. Those that are not here have no meaning of
// their own yet and are kept as received.
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

// meaning fills in what a hook is about, and takes from the payload what stands in the
// hook's event. It gives the tool members that belong into the rest.
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
		// A subagent's prompt is the task that its parent gave it.
		h.Text, h.Machine = p.Text("prompt"), h.Lane != ""
	case events.ToolStart, events.ToolEnd:
		return toolCall(h, p)
	case events.CompactIntent, events.CompactEnd:
		p.Text("trigger")
	case events.TurnEnd, events.SubagentEnd:
		h.Text = p.Text("last_assistant_message")
	}
	return nil
}

// The start after a compaction takes the recovery text. A subagent has no such start:
// it gets the text with the end of its next tool call.
var owed = []agents.Owed{
	{At: events.ContextRestart, Answer: wire.RecoveryText},
	{At: events.SessionStart, Answer: wire.StartText},
	{At: events.PromptSubmit, Answer: wire.DueText, If: agents.OnMain},
	{At: events.ToolEnd, Answer: wire.DueAtWork},
	{At: events.TurnEnd, Answer: wire.StopAdvice},
}

// surroundings takes from the payload what is known anyway of where the hook ran.
func surroundings(h *events.Hook, p *agents.Payload) {
	// A session's transcript is always the same file; its starts tell it. A subagent's is
	// its own.
	if h.Kind != events.ContextRestart && h.Lane == "" {
		p.Text("transcript_path")
	}
	p.TakeCwd(h)
	switch h.Kind {
	case events.SubagentStart, events.SubagentEnd, events.Other:
		p.Text("agent_type")
	}
}

// takesText are the events whose additionalContext the model reads. The client checks
// what a hook prints against a schema of each event: on the others the member is an
// error, and on SessionEnd there is no output at all.
var takesText = []string{"SessionStart", "SubagentStart", "UserPromptSubmit", "PreToolUse", "PostToolUse"}

func answer(h events.Hook, to, text string) []byte {
	if h.Kind == events.SessionEnd || to == wire.ToPerson && h.Kind == events.Other {
		return nil
	}
	return agents.Speak(h, to, text, takesText)
}
