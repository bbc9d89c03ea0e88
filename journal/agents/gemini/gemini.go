// Package gemini knows Gemini CLI as of client 0.61.0 (docs/CLIENTS.md §14): its hooks in gemini.go, its transcripts
// (chats) in transcript_*.go, its installation in install.go.
package gemini

import (
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/wire"
	"journal/journal/wire/frame"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "gemini"

// Dialect is declared for look-ups by name. The client also passes on its API key, so nothing of the environment is
// ever recorded.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "gemini --resume",
	Vars:   agents.Vars{Project: frame.GeminiProject, Session: "GEMINI_SESSION_ID"},
	// The client does not report its window.
	Windows: map[string]int64{"gemini-": 1_048_576},
	Tags:    []string{"hook_context", "session_context", "untrusted_context", "state_snapshot"},
	Names: agents.Names{
		Hook: "hook_event_name", Session: "session_id", Cwd: "cwd", Source: "source", Trigger: "trigger", Transcript: "transcript_path",
	},
	Kinds: kinds,
	// Words of a person or the model are kept whole; file contents and the whole conversation are left out.
	Limits: payload.Limits{
		Whole: payload.Paths("prompt", "prompt_response", "tool_input.todos[].description", "tool_input.plan"),
		Drop: payload.Paths("llm_request", "llm_response",
			"tool_response.returnDisplay.fileDiff", "tool_response.returnDisplay.originalContent", "tool_response.returnDisplay.newContent"),
	},
	Outputs: []string{"tool_response.llmContent"},
	Place: func(h *events.Hook, _ *agents.Payload) {
		if h.Native == "PreCompress" && h.Trigger == "manual" {
			h.Kind = events.CompactIntent
		}
	},
	Meaning: meaning,
	Around:  surroundings,
	Owed:    owed,
	// The model reads additionalContext, the person systemMessage.
	Answer: func(h events.Hook, to, text string) []byte {
		return agents.Speak(h, to, text, []string{"SessionStart", "BeforeAgent", "AfterTool"})
	},
})

// kinds maps the client's events to their meaning. PreCompress with the trigger auto is missing: it is called before
// every request to the model, mostly without a compression. The transcript shows real compressions.
var kinds = map[string]events.HookKind{
	"SessionStart": events.SessionStart,
	"SessionEnd":   events.SessionEnd,
	"BeforeAgent":  events.PromptSubmit,
	"BeforeTool":   events.ToolStart,
	"AfterTool":    events.ToolEnd,
	"AfterAgent":   events.TurnEnd,
}

// meaning sets the fields of a hook by its kind, and takes from the payload what its event has. It returns the tool
// members that go into the rest.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Kind {
	case events.SessionStart:
		p.Text("source")
	case events.SessionEnd:
		h.Reason = p.Text("reason")
	case events.PromptSubmit:
		words, around := p.Prompt("prompt")
		h.Text, h.Machine = Typed(words), agents.ByMachine(words)
		return around
	case events.ToolStart, events.ToolEnd:
		return toolCall(h, p)
	case events.CompactIntent:
		p.Text("trigger")
	case events.TurnEnd:
		h.Text = p.Text("prompt_response")
		p.Drop("prompt") // BeforeAgent reported it
	}
	return nil
}

// Typed returns what a person typed of a prompt, without the hook texts that the client puts in front: some of them are
// ours.
func Typed(prompt string) string {
	for {
		rest, ok := strings.CutPrefix(strings.TrimSpace(prompt), "<hook_context>")
		if !ok {
			return prompt
		}
		if _, prompt, ok = strings.Cut(rest, "</hook_context>"); !ok {
			return "" // only a hook text, cut
		}
		prompt = strings.TrimSpace(prompt)
	}
}

// Nothing is owed at SessionStart: in headless mode a text there replaces the person's first prompt when the session is
// resumed. It comes with the first prompt.
var owed = []agents.Owed{
	{At: events.PromptSubmit, Answer: wire.StartOrDue},
	{At: events.ToolEnd, Answer: wire.DueAtWork, If: func(h events.Hook, _ agents.Env) bool { return !h.Tool.Failed }}, // failed calls take no text
	{At: events.TurnEnd, Answer: wire.StopAdvice},
}

// surroundings takes from the payload what is known anyway about where the hook ran.
func surroundings(h *events.Hook, p *agents.Payload) {
	p.Text("transcript_path") // a session's transcript is always the same file; its starts name it
	p.Text("timestamp")
	p.TakeCwd(h)
}
