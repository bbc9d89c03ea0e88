package hooks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"journal/events"
	"journal/journal/payload"
	"journal/journal/redact"
	"journal/journal/wire"
)

// Claude Code 1.0.128 to 2.1.329: PROTOCOLS section 1, CLIENTS part 1.
var _ = declare(Dialect{
	Agent: "claude",
	// 10,000 units arrive whole; beyond that the model sees the first 2,000
	// (CLIENTS part 1 section 6).
	Units:    9500,
	Vital:    1900,
	Read:     readClaude,
	Usage:    readClaudeUsage,
	Receipts: claudeReceipts,
	Parent:   claudeParent,
	Answer:   answerClaude,
})

// claudeKinds says what the client's events mean. Those that are not here have
// no meaning of their own yet and are kept as received.
var claudeKinds = map[string]events.HookKind{
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
	"TaskCreated":        events.TaskChange,
	"TaskCompleted":      events.TaskChange,
}

// claudeLimits keeps whole what a person or the model said and what the journal
// has to give back word for word, and skips file bodies: they are on disk, and
// the tool's input holds what was changed.
var claudeLimits = payload.Limits{
	// One text of 256 KiB is kept whole beside all else, and an event with
	// texts of 384 KiB has room in an envelope (DECISIONS 3.4; see fit).
	Total: 384 << 10,
	Whole: func(path string) bool {
		switch path {
		case "prompt", "compact_summary", "custom_instructions", "last_assistant_message",
			"tool_input.todos[].content", "tool_input.subject", "tool_input.description",
			"task_subject", "task_description", "tool_input.prompt",
			"tool_input.plan", "tool_response.plan":
			return true
		}
		return false
	},
	Drop: func(path string) bool {
		switch path {
		case "user_email",
			"tool_response.originalFile", "tool_response.original_file", "tool_response.updated_file",
			"tool_response.oldString", "tool_response.newString", "tool_response.structuredPatch",
			"tool_response.file.content", "tool_response.file.base64", "tool_response.file.cells",
			"tool_response.oldTodos", "tool_response.newTodos":
			return true
		}
		return false
	},
}

func readClaude(r io.Reader, env Env) Report {
	p, err := payload.Read(r, claudeLimits)
	p = p.Clean(redact.Text)
	top := taker{from: p}
	h := events.Hook{
		Agent:      "claude",
		Native:     cmp.Or(top.text("hook_event_name"), env.Event),
		Session:    top.text("session_id"),
		Lane:       top.text("agent_id"),
		AgentType:  p.Get("agent_type").Str(),
		Turn:       top.text("prompt_id"),
		At:         env.Now.UnixNano(),
		Root:       Root(env.Getenv("CLAUDE_PROJECT_DIR"), p.Get("cwd").Str()),
		Cwd:        p.Get("cwd").Str(),
		Source:     p.Get("source").Str(),
		Trigger:    p.Get("trigger").Str(),
		Model:      p.Get("model").Str(),
		Transcript: p.Get("transcript_path").Str(),
		SinceLast:  p.Get("seconds_since_last_response").Exists(),
	}
	h.PID, _ = strconv.Atoi(env.Getenv("CLAUDE_PID"))
	h.Kind = cmp.Or(claudeKinds[h.Native], events.Other)
	rep := Report{
		// Nobody waits long for SessionEnd, nor for StopFailure in print mode
		// (CLIENTS part 1 sections 3 and 6).
		Quick: h.Kind == events.SessionEnd || h.Kind == events.TurnFail,
	}
	if err == nil && p.Kind() != payload.Object {
		err = errors.New("payload is no object")
	}
	if err != nil {
		// Not a tool call's own key: the report of the same call that is whole
		// would be an echo of this one.
		rep.Key = payloadKey("claude", h.Native, p)
		h.Broken, h.Rest = err.Error(), p.JSON()
		if p.Kind() == payload.Object {
			h.Rest = object(p)
		}
		h.Rest = fit(h)
		rep.Hook = h
		return rep
	}
	calls := claudeMeaning(&h, &top)
	if h.Kind == events.PromptSubmit && !h.Machine && h.Lane == "" {
		var model string
		h.Usage, model = claudeUsage(h.Transcript, env)
		if len(model) <= 256 { // else it is no name, whatever the file is
			h.Model = cmp.Or(h.Model, redact.Text(model))
		}
	}
	rep.Owed, rep.Wait = claudeOwed(h)
	if h.Tool != nil && h.Tool.Use != "" {
		rep.Key = toolKey("claude", h.Tool.Use, h.Native)
	} else {
		rep.Key = payloadKey("claude", h.Native, p)
	}
	claudeSurroundings(h, &top)
	h.Rest = object(top.rest(), calls...)
	h.Rest = fit(h)
	rep.Hook = h
	return rep
}

// claudeMeaning fills in what a hook is about, and takes from the payload what
// stands in the hook's event. It gives the tool members that belong into the
// rest instead of those taken.
func claudeMeaning(h *events.Hook, p *taker) []member {
	switch h.Kind {
	case events.SessionStart:
		if h.Source == "compact" {
			h.Kind = events.ContextRestart
		}
		p.text("source")
		p.text("model")
	case events.SessionEnd:
		h.Reason = p.text("reason")
	case events.PromptSubmit:
		h.Text = p.text("prompt")
		h.Machine = claudeMachine(h.Source, h.Text)
	case events.ToolStart, events.ToolEnd:
		return claudeTool(h, p)
	case events.CompactIntent:
		p.text("trigger")
		h.Text = p.text("custom_instructions")
	case events.CompactEnd:
		p.text("trigger")
		h.Text = p.text("compact_summary")
	case events.TurnEnd:
		h.Text = p.text("last_assistant_message")
	case events.TurnFail:
		h.Reason, h.Text = p.text("error"), p.text("error_details")
	case events.SubagentEnd:
		// The summariser of a compaction is a subagent without a type and
		// without a start (PROTOCOLS 1.3), and old clients warm up with some
		// that nobody asked for (CLIENTS part 1 section 7): nobody's subagents.
		if h.AgentType == "" {
			h.Kind = events.Other
			break
		}
		h.Text = p.text("last_assistant_message")
	case events.TaskChange:
		id := p.text("task_id")
		if id == "" {
			h.Kind = events.Other
			break
		}
		status := "pending"
		if h.Native == "TaskCompleted" {
			status = "completed"
		}
		h.Tasks = []events.Task{{
			ID: id, Subject: p.text("task_subject"), Detail: p.text("task_description"), Status: status,
		}}
	}
	return nil
}

// claudeOwed says which answer a hook can take, and how long it may wait for it
// (DECISIONS 1.8, 1.9, 2.12).
func claudeOwed(h events.Hook) (kind string, wait time.Duration) {
	switch h.Kind {
	case events.ContextRestart:
		return wire.RecoveryText, 3 * time.Second
	case events.SessionStart:
		if h.Source == "resume" && !h.SinceLast {
			return wire.RecoveryText, 3 * time.Second
		}
		return wire.StartText, 3 * time.Second
	case events.PromptSubmit:
		if !h.Machine {
			return wire.PressureNotice, 150 * time.Millisecond
		}
	case events.CompactIntent:
		return wire.Guidance, 500 * time.Millisecond
	case events.TurnEnd:
		if h.Lane == "" {
			return wire.StopAdvice, 150 * time.Millisecond
		}
	}
	return "", 0
}

// claudeSurroundings takes from the payload what is known anyway of where the
// hook ran.
func claudeSurroundings(h events.Hook, p *taker) {
	// A session's transcript is always the same file; its starts tell it.
	if h.Kind != events.ContextRestart {
		p.text("transcript_path")
	}
	command := h.Kind == events.ToolEnd && h.Tool.Action == events.RunCommand
	if command || h.Kind == events.SessionStart || h.Cwd == h.Root {
		p.text("cwd")
	}
	switch h.Kind {
	case events.SubagentStart, events.SubagentEnd:
		p.text("agent_type")
	case events.Other:
		if h.AgentType != "" { // an empty one is not the same as none
			p.text("agent_type")
		}
	}
}

// claudeMachine says whether the client itself wrote a prompt: the notice of a
// finished background task, a wake-up, the output of a command of its own
// (PROTOCOLS 1.3). A slash command is the person's.
func claudeMachine(source, prompt string) bool {
	switch source {
	case "system", "loop_wakeup", "schedule_wakeup", "poll_event":
		return true
	}
	prompt = strings.TrimSpace(prompt)
	for _, mark := range []string{"<task-notification>", "<local-command-", "[Request interrupted by user"} {
		if strings.HasPrefix(prompt, mark) {
			return true
		}
	}
	return false
}

// claudeTakesText are the events whose additionalContext the model reads without
// being made to go on (PROTOCOLS 1.3): on Stop and SubagentStop it starts another
// turn, and on the others that are not here it is an error.
var claudeTakesText = []string{
	"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse",
	"PostToolUse", "PostToolUseFailure", "PostToolBatch", "PostModelSwitch", "SubagentStart",
}

// answerClaude speaks to the model by additionalContext, to the person by
// systemMessage, and to the summariser in plain text: whatever a PreCompact hook
// prints is added to the summariser's prompt as it is (PROTOCOLS 1.4).
func answerClaude(h events.Hook, to, text string) []byte {
	if text == "" {
		return nil
	}
	type output struct {
		HookEventName     string `json:"hookEventName"`
		AdditionalContext string `json:"additionalContext"`
	}
	var doc struct {
		SystemMessage string  `json:"systemMessage,omitempty"`
		Output        *output `json:"hookSpecificOutput,omitempty"`
	}
	switch {
	case to == wire.ToSummariser && h.Kind == events.CompactIntent:
		return []byte(text)
	case h.Kind == events.CompactIntent || h.Kind == events.CompactEnd || h.Kind == events.SessionEnd:
		return nil // anything here would be an error, or reach the summariser
	case to == wire.ToPerson:
		doc.SystemMessage = text
	case to == wire.ToModel && slices.Contains(claudeTakesText, h.Native):
		doc.Output = &output{h.Native, text}
	default:
		return nil
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(doc) // strings always encode
	return b.Bytes()
}
