// Package gemini is how Gemini CLI speaks to its hooks: payloads, answers, limits and
// environment variables, as of client 0.61.0 (docs/CLIENTS.md §14). Its packages
// transcript and setup hold what a hook does not need.
package gemini

import (
	"cmp"
	"strings"
	"time"

	"journal/events"
	"journal/events/shell/failure"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/vars"
	"journal/journal/wire"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "gemini"

// Dialect is declared for everybody who looks it up by name. The client passes its API key
// on too, so that nothing of the environment is ever recorded.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "gemini --resume",
	Vars:   agents.Vars{Project: vars.GeminiProject, Session: "GEMINI_SESSION_ID"},
	// The client tells no window.
	Windows: map[string]int64{"gemini-": 1_048_576},
	// 96 KB arrive whole; a text stands in every request that follows.
	Units:  9500,
	Vital:  1900,
	Tags:   []string{"hook_context", "session_context", "untrusted_context", "state_snapshot"},
	Read:   reading.Read,
	Answer: answer,
})

// kinds says what the client's events mean. PreCompress with the trigger auto is not
// here: it is called before every request to the model, and mostly nothing follows. That
// the context was compressed the transcript tells.
var kinds = map[string]events.HookKind{
	"SessionStart": events.SessionStart,
	"SessionEnd":   events.SessionEnd,
	"BeforeAgent":  events.PromptSubmit,
	"BeforeTool":   events.ToolStart,
	"AfterTool":    events.ToolEnd,
	"AfterAgent":   events.TurnEnd,
}

// limits keeps whole what a person or the model said, and skips what is on disk and what
// is the whole conversation.
var limits = payload.Limits{
	Total: 384 << 10, // as much as an event and its rest have room for (ADR-0014)
	Whole: func(path string) bool {
		switch path {
		case "prompt", "prompt_response", "tool_input.todos[].description":
			return true
		}
		return false
	},
	Drop: func(path string) bool {
		switch path {
		case "llm_request", "llm_response",
			"tool_response.returnDisplay.fileDiff", "tool_response.returnDisplay.originalContent", "tool_response.returnDisplay.newContent":
			return true
		}
		return false
	},
}

var reading = agents.Reading{
	Limits: limits, Output: "tool_response.llmContent", Hook: hookOf, Meaning: meaning, Around: surroundings, Owed: owed,
}

// hookOf takes what every payload tells.
func hookOf(p *agents.Taker, env agents.Env) events.Hook {
	h := events.Hook{
		Agent:      Name,
		Native:     cmp.Or(p.Text("hook_event_name"), env.Event),
		Session:    p.Text("session_id"),
		At:         env.Now.UnixNano(),
		Root:       agents.Root(env.Getenv(vars.GeminiProject), p.From.Get("cwd").Str()),
		Cwd:        p.From.Get("cwd").Str(),
		Source:     p.From.Get("source").Str(),
		Trigger:    p.From.Get("trigger").Str(),
		Transcript: p.From.Get("transcript_path").Str(),
	}
	h.Kind = cmp.Or(kinds[h.Native], events.Other)
	if h.Native == "PreCompress" && h.Trigger == "manual" {
		h.Kind = events.CompactIntent
	}
	return h
}

// meaning fills in what a hook is about, and takes from the payload what stands in the
// hook's event. It gives the tool members that belong into the rest.
func meaning(h *events.Hook, p *agents.Taker, output *failure.Scanner) []agents.Member {
	switch h.Kind {
	case events.SessionStart:
		p.Text("source")
	case events.SessionEnd:
		h.Reason = p.Text("reason")
	case events.PromptSubmit:
		h.Text = Typed(p.Text("prompt"))
	case events.ToolStart, events.ToolEnd:
		return toolCall(h, p, output)
	case events.CompactIntent:
		p.Text("trigger")
	case events.TurnEnd:
		h.Text = p.Text("prompt_response")
		p.Drop("prompt") // BeforeAgent told it
	}
	return nil
}

// Typed gives what a person typed of a prompt, without the texts of hooks that the client
// puts before it: some of them are ours.
func Typed(prompt string) string {
	for {
		rest, ok := strings.CutPrefix(strings.TrimSpace(prompt), "<hook_context>")
		if !ok {
			return prompt
		}
		if _, prompt, ok = strings.Cut(rest, "</hook_context>"); !ok {
			return "" // nothing but such a text, cut
		}
		prompt = strings.TrimSpace(prompt)
	}
}

// owed says which answer a hook can take, and how long it may wait for it (ADR-0019).
// Nothing at SessionStart: in headless mode a text there costs the person's first prompt
// when the session is resumed. It comes with the first prompt.
func owed(h events.Hook) (kind string, wait time.Duration) {
	switch h.Kind {
	case events.PromptSubmit:
		return wire.StartOrDue, 3 * time.Second
	case events.ToolEnd:
		if !h.Tool.Failed { // what failed takes no text
			return wire.DueAtWork, 0
		}
	case events.TurnEnd:
		return wire.StopAdvice, 150 * time.Millisecond
	}
	return "", 0
}

// surroundings takes from the payload what is known anyway of where the hook ran.
func surroundings(h events.Hook, p *agents.Taker) {
	p.Text("transcript_path") // a session's is always the same file; its starts tell it
	p.Text("timestamp")
	if command := h.Kind == events.ToolEnd && h.Tool.Action == events.RunCommand; command || h.Kind == events.SessionStart || h.Cwd == h.Root {
		p.Text("cwd")
	}
}

// answer speaks to the model by additionalContext and to the person by systemMessage.
func answer(h events.Hook, to, text string) []byte {
	switch {
	case text == "":
		return nil
	case to == wire.ToPerson:
		return agents.Answer(h.Native, "", text)
	case to == wire.ToModel && (h.Native == "SessionStart" || h.Native == "BeforeAgent" || h.Native == "AfterTool"):
		return agents.Answer(h.Native, text, "")
	}
	return nil
}
