package hooks

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
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
	Units:  9500,
	Vital:  1900,
	Read:   readClaude,
	Usage:  readClaudeUsage,
	Answer: answerClaude,
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
// has to give back word for word (DECISIONS 3.4), and skips file bodies: they
// are on disk, and the tool's input holds what was changed.
var claudeLimits = payload.Limits{
	Whole: func(path string) bool {
		switch path {
		case "prompt", "compact_summary", "custom_instructions", "last_assistant_message",
			"tool_input.todos[].content", "tool_input.subject", "tool_input.description",
			"task_subject", "task_description", "tool_input.plan":
			return true
		}
		return false
	},
	Drop: func(path string) bool {
		switch path {
		case "user_email",
			"tool_response.originalFile", "tool_response.original_file", "tool_response.updated_file",
			"tool_response.oldString", "tool_response.newString", "tool_response.structuredPatch",
			"tool_response.file.content", "tool_response.file.base64",
			"tool_response.oldTodos", "tool_response.newTodos":
			return true
		}
		return false
	},
}

func readClaude(r io.Reader, env Env) Report {
	p, err := payload.Read(r, claudeLimits)
	p = p.Clean(redact.Text)
	h := events.Hook{
		Agent:      "claude",
		Native:     cmp.Or(p.Get("hook_event_name").Str(), env.Event),
		Session:    p.Get("session_id").Str(),
		Lane:       p.Get("agent_id").Str(),
		AgentType:  p.Get("agent_type").Str(),
		Turn:       p.Get("prompt_id").Str(),
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
	taken := []string{
		"session_id", "transcript_path", "cwd", "prompt_id", "agent_id", "agent_type",
		"hook_event_name", "permission_mode", "effort",
	}
	rep := Report{Key: payloadKey("claude", p)}
	var tool []member
	switch h.Kind {
	case events.SessionStart:
		taken = append(taken, "source", "model")
		rep.Wait = 3 * time.Second
		switch {
		case h.Source == "compact":
			h.Kind = events.ContextRestart
			rep.Owed = wire.RecoveryText
		case h.Source == "resume" && !h.SinceLast:
			rep.Owed = wire.RecoveryText
		}
	case events.SessionEnd:
		h.Reason = p.Get("reason").Str()
		taken = append(taken, "reason")
		rep.Quick = true
	case events.PromptSubmit:
		h.Text = p.Get("prompt").Str()
		h.Machine = claudeMachine(p)
		taken = append(taken, "prompt")
		if !h.Machine {
			rep.Owed, rep.Wait = wire.PressureNotice, 150*time.Millisecond
		}
	case events.ToolStart, events.ToolEnd:
		h.Tool, tool = claudeTool(p, h.Native == "PostToolUseFailure")
		h.Tasks = claudeTasks(h.Tool, p)
		taken = append(taken, "tool_name", "tool_use_id", "tool_input", "tool_response", "duration_ms", "error")
		if h.Kind == events.ToolStart { // nothing of its input stands in the event
			tool = []member{{"tool_input", p.Get("tool_input").JSON()}}
		}
		if h.Tool.Use != "" {
			rep.Key = toolKey("claude", h.Tool.Use, h.Native)
		}
	case events.CompactIntent:
		h.Text = p.Get("custom_instructions").Str()
		taken = append(taken, "trigger", "custom_instructions")
		rep.Owed, rep.Wait = wire.Guidance, 500*time.Millisecond
	case events.CompactEnd:
		h.Text = p.Get("compact_summary").Str()
		taken = append(taken, "trigger", "compact_summary")
	case events.TurnEnd:
		h.Text = p.Get("last_assistant_message").Str()
		taken = append(taken, "last_assistant_message")
		if h.Lane == "" {
			rep.Owed, rep.Wait = wire.StopAdvice, 150*time.Millisecond
		}
	case events.TurnFail:
		h.Reason, h.Text = p.Get("error").Str(), p.Get("error_details").Str()
		taken = append(taken, "error", "error_details")
		rep.Quick = true // nobody waits for it in print mode (CLIENTS part 1 section 3)
	case events.SubagentEnd:
		// The summariser of a compaction is a subagent without a type and
		// without a start (PROTOCOLS 1.3); it is nobody's subagent.
		if h.AgentType == "" {
			h.Kind = events.Other
			break
		}
		h.Text = p.Get("last_assistant_message").Str()
		taken = append(taken, "last_assistant_message")
	case events.TaskChange:
		status := "pending"
		if h.Native == "TaskCompleted" {
			status = "completed"
		}
		h.Tasks = []events.Task{{
			ID: p.Get("task_id").Str(), Subject: p.Get("task_subject").Str(),
			Detail: p.Get("task_description").Str(), Status: status,
		}}
		taken = append(taken, "task_id", "task_subject", "task_description")
	}
	switch {
	case errors.Is(err, payload.ErrEmpty):
		h.Broken = err.Error()
	case err != nil:
		h.Broken = err.Error()
		rep.Owed = ""
	}
	if h.Broken != "" {
		taken = nil
		tool = nil
	}
	h.Rest = object(p.Without(taken...), tool...)
	rep.Hook = h
	return rep
}

// claudeMachine says whether the client itself wrote a prompt: the notice of a
// finished background task, a wake-up, an interruption in old transcripts
// (PROTOCOLS 1.3).
func claudeMachine(p payload.Value) bool {
	switch p.Get("source").Str() {
	case "system", "loop_wakeup", "schedule_wakeup", "poll_event":
		return true
	}
	text := strings.TrimSpace(p.Get("prompt").Str())
	for _, mark := range []string{"<task-notification>", "<local-command-", "<command-name>", "[Request interrupted by user"} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
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
	case to == wire.ToModel:
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

type member struct {
	name  string
	value []byte // JSON
}

// object gives the JSON of an object with more members, nil when it has none.
func object(v payload.Value, more ...member) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	put := func(name string, value []byte) {
		if b.Len() > 1 {
			b.WriteByte(',')
		}
		key, _ := json.Marshal(name) // strings always encode
		b.Write(key)
		b.WriteByte(':')
		b.Write(value)
	}
	for name, value := range v.Members() {
		put(name, value.JSON())
	}
	for _, m := range more {
		put(m.name, m.value)
	}
	b.WriteByte('}')
	if b.Len() == 2 {
		return nil
	}
	return b.Bytes()
}
