// Package claude supports Claude Code, clients 1.0 to 2.1.332:
//   - hooks: claude.go and prompt.go; tool calls: tools.go, answers.go, refusal.go; editors' terminals and background tasks: shells.go;
//   - the usage of the context: usage.go;
//   - transcripts: transcript_*.go; the list of typed prompts: history.go;
//   - the installation of journal: install.go.
package claude

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/notes"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/journal/wire/frame"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "claude"

// Dialect is the dialect of Claude Code's hooks. Of the environment, which has the client's credentials, a hook reads only variables of
// package frame.
var Dialect = agents.Declare(agents.Dialect{
	Agent:   Name,
	Resume:  "claude --resume",
	Vars:    agents.Vars{Project: frame.ClaudeProject, Session: "CLAUDE_CODE_SESSION_ID", Exports: frame.ClaudeExports},
	Windows: windows,
	Tags:    tags,
	Names: agents.Names{
		Hook: "hook_event_name", Session: "session_id", Lane: "agent_id", Turn: "prompt_id",
		LaneType: "agent_type", Cwd: "cwd", Source: "source", Trigger: "trigger", Model: "model", Transcript: "transcript_path",
	},
	Kinds: kinds,
	// In print mode the client hardly waits for the hook of StopFailure (docs/CLIENTS.md §4, §7).
	Quick: []events.HookKind{events.TurnFail},
	Memory: []notes.Memory{
		{Dir: ".claude/projects/{project}/memory", Names: "*.md", Loaded: "MEMORY.md", Lines: 200},
		{Names: "CLAUDE.md", Loaded: "CLAUDE.md"},
	},
	Limits:  limits,
	Outputs: []string{"tool_response.stdout", "tool_response.stderr"},
	Correct: func(h *events.Hook, p *agents.Payload) {
		h.SinceLast = p.From.Get("seconds_since_last_response").Exists()
		h.PID, _ = strconv.Atoi(p.Env.Getenv(frame.ClaudePID))
	},
	Meaning:      meaning,
	DropRepeated: dropRepeated,
	Answers:      answers,
	Usage:        readUsage,
	Answer:       answer,
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
	"Notification":       events.CompactNotice, // unless meaning changes it
	"Stop":               events.TurnEnd,
	"StopFailure":        events.TurnFail,
	"SubagentStart":      events.SubagentStart,
	"SubagentStop":       events.SubagentEnd,
	"TaskCreated":        events.TaskChange,
	"TaskCompleted":      events.TaskChange,
}

// limits keeps the words of a person or the model whole, and the lists that the recovery text quotes. It skips the contents of files,
// because they are on the disk, and the changes of edits and the lists of todos in responses, because the input of the tool has them. It
// drops the address of the person.
var limits = payload.Limits{
	Whole: payload.Paths(
		"prompt", "compact_summary", "custom_instructions", "last_assistant_message",
		"tool_input.todos[].content", "tool_input.subject", "tool_input.description",
		"task_subject", "task_description", "tool_input.prompt", "tool_input.message",
		"tool_input.plan", "tool_response.plan",
		// The answers of a person, in members with the names of the questions.
		"tool_response.answers.", "tool_input.answers.",
	),
	Drop: payload.Paths(
		"user_email",
		"tool_response.originalFile", "tool_response.original_file", "tool_response.updated_file",
		"tool_response.oldString", "tool_response.newString", "tool_response.structuredPatch",
		"tool_response.file.content", "tool_response.file.base64", "tool_response.file.cells",
		"tool_response.oldTodos", "tool_response.newTodos",
	),
}

// meaning implements agents.Dialect.Meaning, and reads the usage of the context at a prompt.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Kind {
	case events.SessionStart:
		h.Headless = agents.Headless(p.Env.Getenv(frame.ClaudeEntry))
	case events.PromptSubmit:
		prompt := p.Text("prompt")
		text, person := asTyped(prompt)
		words, around := agents.Words(text)
		h.Text, h.Machine, h.Ended = words, !person || isMachine(h.Source) || agents.ByMachine(words), endsOf(prompt)
		if !h.Machine && h.Lane == "" {
			var model string
			h.Usage, model, h.Client = usageOf(h.Transcript, p.Env)
			if len(model) <= 256 { // a longer text is not a name
				h.Model = cmp.Or(h.Model, redact.Text(model))
			}
		}
		return agents.AroundMember(around)
	case events.CompactNotice:
		if !mentionsContext(p.From.Get("notification_type").Str(), p.From.Get("message").Str()) {
			h.Kind = events.Other
			break
		}
		h.Text = p.Text("message")
	case events.SubagentEnd:
		// The summariser of a compaction is a subagent without a type and without a start. Old clients also start such subagents
		// to warm up (docs/CLIENTS.md §3). Neither counts as a subagent.
		if h.AgentType == "" {
			h.Kind = events.Other
			if message := p.From.Get("last_assistant_message").Str(); strings.Contains(message, "<summary>") {
				h.Kind, h.Text = events.CompactDraft, message
			}
		}
	case events.TaskChange:
		id := p.Text("task_id")
		if id == "" {
			h.Kind = events.Other
			break
		}
		status := "pending"
		if h.Native == "TaskCompleted" {
			status = "completed"
		}
		h.Tasks = []events.Task{{
			ID: id, Subject: p.Text("task_subject"), Detail: p.Text("task_description"), Status: status,
		}}
	}
	more := agents.HookMeaning(h, p, toolCall)
	if h.Kind == events.TurnEnd && strings.HasPrefix(h.Text, apiError) {
		h.Kind, h.Reason = events.TurnFail, "unknown"
	}
	return more
}

// answers implements agents.Dialect.Answers (ADR-0019 rule 5, ADR-0033 and ADR-0018).
var answers = []agents.AnswerRule{
	{At: events.ContextRestart, Kind: wire.RecoveryText},
	// After a resume, unless the client kept the texts of hooks: one that does sends the time since the last answer (events.Hook.SinceLast).
	{At: events.SessionStart, Kind: wire.RecoveryText, If: func(h events.Hook) bool { return h.Source == "resume" && !h.SinceLast }},
	// A program that starts the client continues no earlier work.
	{At: events.SessionStart, Kind: wire.StartText, If: func(h events.Hook) bool { return !h.Headless }},
	{At: events.PromptSubmit, Kind: wire.DueText, If: func(h events.Hook) bool { return !h.Machine }},
	// A turn can take hours: a nearly full context cannot wait for the next prompt. The owner answers from memory.
	{At: events.ToolEnd, Kind: wire.UrgentNotice, If: agents.OnMain},
	{At: events.CompactIntent, Kind: wire.Guidance},
	{At: events.TurnEnd, Kind: wire.StopAdvice, If: agents.OnMain},
}

// dropRepeated implements agents.Dialect.DropRepeated.
func dropRepeated(h *events.Hook, p *agents.Payload) {
	// session.started has the path of the transcript, which is always the same file; context.restarted has no field for it.
	if h.Kind != events.ContextRestart {
		p.DropText("transcript_path")
	}
	p.TakeCwd(h)
	switch h.Kind {
	case events.SubagentStart, events.SubagentEnd:
		p.DropText("agent_type")
	case events.Other:
		if h.AgentType != "" { // an empty one stays: it marks a summariser, see meaning
			p.DropText("agent_type")
		}
	}
}

// mentionsContext reports whether a notification may be about a compaction (S0.1).
func mentionsContext(kind, message string) bool {
	return kind == "compact" || slices.ContainsFunc(
		strings.FieldsFunc(strings.ToLower(message), func(r rune) bool { return !unicode.IsLetter(r) }),
		func(word string) bool { return word == "compact" || word == "context" })
}

// textEvents lists the events whose additionalContext the model reads (docs/CLIENTS.md §3). At Stop the member starts another turn, so
// the person must have enabled that answer (S1.2). At SubagentStop, which is not listed, it would do the same. At SessionEnd, PreCompact and
// PostCompact the member is an error, and at the other events the client does not read it.
var textEvents = []string{
	"SessionStart", "Setup", "UserPromptSubmit", "UserPromptExpansion", "PreToolUse",
	"PostToolUse", "PostToolUseFailure", "PostToolBatch", "PostModelSwitch", "SubagentStart", "Stop",
}

// answer implements agents.Dialect.Answer. The client adds the output of a PreCompact hook to the summariser's prompt unchanged
// (docs/CLIENTS.md §5).
func answer(h events.Hook, to, text string) []byte {
	switch {
	case to == wire.ToSummariser && h.Kind == events.CompactIntent:
		return []byte(text)
	case h.Kind == events.CompactIntent || h.Kind == events.CompactEnd || h.Kind == events.SessionEnd:
		return nil // output would be an error, or would reach the summariser
	}
	return agents.HookAnswer(h, to, text, textEvents)
}

// windows maps prefixes of model ids to context windows in tokens, as the client reports them to statuslines up to version 2.1.332.
// Models whose window depends on the client or an option are left out, as Opus 4.6 to 4.8 and Sonnet 4.6: no value is better than a wrong one
// (S1.3, S1.11).
var windows = map[string]int64{
	"claude-opus-5":   1_000_000,
	"claude-sonnet-5": 1_000_000,
	"claude-haiku-5":  1_000_000,
	"claude-opus-4-0": 200_000,
	"claude-opus-4-1": 200_000,
	"claude-opus-4-2": 200_000, // claude-opus-4-20250514
	"claude-opus-4-5": 200_000,
	"claude-haiku-4":  200_000,
}
