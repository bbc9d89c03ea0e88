// Package gemini supports Gemini CLI as of client 0.61.0 (docs/CLIENTS.md §14): its hooks in gemini.go and tools.go, its transcripts
// (chats) in transcript_reader.go, its installation in install.go.
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

// Dialect is the dialect of Gemini CLI's hooks. Of the environment, which has the client's API key, a hook reads only variables of
// package frame.
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
	// Words of a person or the model are kept whole; file contents and requests to the model, which have the whole conversation,
	// are left out.
	Limits: payload.Limits{
		Whole: payload.Paths("prompt", "prompt_response", "tool_input.todos[].description", "tool_input.plan"),
		Drop: payload.Paths("llm_request", "llm_response",
			"tool_response.returnDisplay.fileDiff", "tool_response.returnDisplay.originalContent", "tool_response.returnDisplay.newContent"),
	},
	Outputs: []string{"tool_response.llmContent"},
	Correct: func(h *events.Hook, _ *agents.Payload) {
		if h.Native == "PreCompress" && h.Trigger == "manual" {
			h.Kind = events.CompactIntent
		}
	},
	Meaning:      meaning,
	DropRepeated: dropRepeated,
	Answers:      answers,
	Answer: func(h events.Hook, to, text string) []byte {
		return agents.HookAnswer(h, to, text, []string{"SessionStart", "BeforeAgent", "AfterTool"})
	},
})

// kinds maps the client's events to their meaning. PreCompress has none: with the trigger auto the client calls it before every request
// to the model, mostly without a compression after it, and the transcript shows the compressions. With the trigger manual it has a
// meaning: see Dialect.Correct.
var kinds = map[string]events.HookKind{
	"SessionStart": events.SessionStart,
	"SessionEnd":   events.SessionEnd,
	"BeforeAgent":  events.PromptSubmit,
	"BeforeTool":   events.ToolStart,
	"AfterTool":    events.ToolEnd,
	"AfterAgent":   events.TurnEnd,
}

// meaning implements agents.Dialect.Meaning.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Kind {
	case events.SessionStart:
		p.DropText("source")
	case events.SessionEnd:
		h.Reason = p.Text("reason")
	case events.PromptSubmit:
		words, around := p.Prompt("prompt")
		h.Text, h.Machine = withoutHookTexts(words), agents.ByMachine(words)
		return around
	case events.ToolStart, events.ToolEnd:
		return toolCall(h, p)
	case events.CompactIntent:
		p.DropText("trigger")
	case events.TurnEnd:
		h.Text = p.Text("prompt_response")
		p.Drop("prompt") // the event of BeforeAgent has it
	}
	return nil
}

// withoutHookTexts returns a prompt without the texts of hooks that the client adds before it. Some of these texts are from journal.
func withoutHookTexts(prompt string) string {
	for {
		rest, ok := strings.CutPrefix(strings.TrimSpace(prompt), "<hook_context>")
		if !ok {
			return prompt
		}
		if _, prompt, ok = strings.Cut(rest, "</hook_context>"); !ok {
			return "" // the text of a hook was cut, and the prompt with it
		}
		prompt = strings.TrimSpace(prompt)
	}
}

// answers implements agents.Dialect.Answers. SessionStart gets no answer, because in headless mode a text there replaces the person's
// first prompt when the session is resumed. The first prompt gets the text of the start.
var answers = []agents.AnswerRule{
	{At: events.PromptSubmit, Kind: wire.StartOrDue},
	{At: events.ToolEnd, Kind: wire.DueAtWork, If: func(h events.Hook) bool { return !h.Tool.Failed }}, // the client ignores a text at a failed call
	{At: events.TurnEnd, Kind: wire.StopAdvice},
}

// dropRepeated implements agents.Dialect.DropRepeated.
func dropRepeated(h *events.Hook, p *agents.Payload) {
	p.DropText("transcript_path") // it is always the same file, and the event of the session's start has it
	p.DropText("timestamp")
	p.TakeCwd(h)
}
