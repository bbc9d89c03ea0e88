// Package codex is how Codex CLI speaks to its hooks: payloads, answers and limits, as
// of client 0.169.0 (docs/CLIENTS.md §12).
package codex

import (
	"cmp"
	"time"

	"journal/events"
	"journal/events/shell/failure"
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
	// About 10,000 characters arrive whole; the rest of what is more goes into a file.
	// The entries that are installed lift that bound, but a text stands in every
	// request that follows.
	Units: 9500,
	Vital: 1900,
	Tags: []string{
		"environment_context", "user_instructions", "instructions", "permissions instructions", "skills_instructions",
		"collaboration_mode", "turn_aborted", "user_shell_command", "subagent_notification",
	},
	Read:   reading.Read,
	Answer: answer,
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

// limits keeps whole what a person or the model said.
var limits = payload.Limits{
	Total: 384 << 10, // as much as an event and its rest have room for (ADR-0014)
	Whole: func(path string) bool {
		switch path {
		case "prompt", "last_assistant_message", "tool_input.message":
			return true
		}
		return false
	},
}

var reading = agents.Reading{
	Limits: limits, Output: "tool_response", Hook: hookOf, Meaning: meaning, Around: surroundings, Owed: owed,
}

// hookOf takes what every payload tells.
func hookOf(p *agents.Taker, env agents.Env) events.Hook {
	h := events.Hook{
		Agent:      Name,
		Native:     cmp.Or(p.Text("hook_event_name"), env.Event),
		Session:    p.Text("session_id"),
		Lane:       p.Text("agent_id"), // the session is the parent's
		AgentType:  p.From.Get("agent_type").Str(),
		Turn:       p.Text("turn_id"),
		At:         env.Now.UnixNano(),
		Root:       agents.Root("", p.From.Get("cwd").Str()),
		Cwd:        p.From.Get("cwd").Str(),
		Source:     p.From.Get("source").Str(),
		Trigger:    p.From.Get("trigger").Str(),
		Model:      p.From.Get("model").Str(),
		Transcript: p.From.Get("transcript_path").Str(),
	}
	h.Kind = cmp.Or(kinds[h.Native], events.Other)
	return h
}

// meaning fills in what a hook is about, and takes from the payload what stands in the
// hook's event. It gives the tool members that belong into the rest.
func meaning(h *events.Hook, p *agents.Taker, output *failure.Scanner) []agents.Member {
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
		return toolCall(h, p, output)
	case events.CompactIntent, events.CompactEnd:
		p.Text("trigger")
	case events.TurnEnd, events.SubagentEnd:
		h.Text = p.Text("last_assistant_message")
	}
	return nil
}

// owed says which answer a hook can take, and how long it may wait for it (ADR-0019).
// The start after a compaction takes the recovery text. A subagent has no such start:
// it gets the text with the end of its next tool call.
func owed(h events.Hook) (kind string, wait time.Duration) {
	switch h.Kind {
	case events.ContextRestart:
		return wire.RecoveryText, 3 * time.Second
	case events.SessionStart:
		return wire.StartText, 3 * time.Second
	case events.PromptSubmit:
		if h.Lane == "" {
			return wire.DueText, 150 * time.Millisecond
		}
	case events.ToolEnd:
		return wire.DueAtWork, 0
	case events.TurnEnd:
		return wire.StopAdvice, 150 * time.Millisecond
	}
	return "", 0
}

// surroundings takes from the payload what is known anyway of where the hook ran.
func surroundings(h events.Hook, p *agents.Taker) {
	// A session's transcript is always the same file; its starts tell it. A subagent's is
	// its own.
	if h.Kind != events.ContextRestart && h.Lane == "" {
		p.Text("transcript_path")
	}
	if command := h.Kind == events.ToolEnd && h.Tool.Action == events.RunCommand; command || h.Kind == events.SessionStart || h.Cwd == h.Root {
		p.Text("cwd")
	}
	switch h.Kind {
	case events.SubagentStart, events.SubagentEnd, events.Other:
		p.Text("agent_type")
	}
}
