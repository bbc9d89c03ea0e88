// Package copilot knows GitHub Copilot CLI as of client 1.0.102 (docs/CLIENTS.md §19): its hooks in copilot.go, its transcripts
// in transcript_reader.go, its installation in install.go. A hook that is configured under Claude
// Code's name for it gets a payload in Claude Code's form.
package copilot

import (
	"bytes"
	"cmp"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/agents/transcript"
	"journal/journal/disk"
	"journal/journal/redact"
	"journal/journal/wire"
	"journal/journal/wire/frame"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "copilot"

// Dialect is declared for look-ups by name. The client also passes on its provider's key, so nothing of the environment is
// ever recorded.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "copilot --resume",
	Vars:   agents.Vars{Project: frame.CopilotProject, Session: "COPILOT_AGENT_SESSION_ID"},
	Tags:   []string{"current_datetime", "system_reminder"},
	Names: agents.Names{
		Hook: "hook_event_name", Session: "session_id", Lane: "agent_id",
		LaneType: "agent_type", Cwd: "cwd", Source: "source", Trigger: "trigger", Transcript: "transcript_path",
	},
	Kinds: kinds,
	// Words of a person or the model are kept whole.
	Limits: payload.Limits{
		Whole: payload.Paths("prompt", "custom_instructions", "last_assistant_message", "tool_input.prompt"),
	},
	Outputs: []string{"tool_result.text_result_for_llm"},
	Place:   place,
	Meaning: meaning,
	Around: func(h *events.Hook, p *agents.Payload) {
		if h.Kind != events.Other {
			p.Drop("timestamp", "transcript_path", "agent_type", "agent_name", "parent_agent_id", "stop_reason", "stop_hook_active", "initial_prompt")
		}
		p.TakeCwd(h)
	},
	// No start follows a compaction.
	Owed: []agents.Owed{
		{At: events.SessionStart, Answer: wire.StartText, If: func(h events.Hook, _ agents.Env) bool { return h.Source != "resume" }},
		{At: events.PromptSubmit, Answer: wire.DueText, If: agents.OnMain},
		{At: events.ToolEnd, Answer: wire.DueAtWork, If: func(h events.Hook, _ agents.Env) bool { return !h.Tool.Failed }},
	},
	Answer: answer,
})

// kinds maps the client's events to their meaning. All others have no meaning yet and are kept as received.
var kinds = map[string]events.HookKind{
	"SessionStart":       events.SessionStart,
	"SessionEnd":         events.SessionEnd,
	"UserPromptSubmit":   events.PromptSubmit,
	"PreToolUse":         events.ToolStart,
	"PostToolUse":        events.ToolEnd,
	"PostToolUseFailure": events.ToolEnd,
	"PreCompact":         events.CompactIntent,
	"Stop":               events.TurnEnd,
	"SubagentStop":       events.SubagentEnd,
}

// place sets the session and the transcript. A subagent's hooks have the subagent's id in the place of the session's. A start does
// not name its transcript: it is beside the folder of the hooks.
func place(h *events.Hook, p *agents.Payload) {
	h.Session = cmp.Or(p.From.Get("parent_agent_id").Str(), h.Session)
	if h.Kind == events.TurnEnd && h.Lane != "" {
		h.Kind = events.Nothing // SubagentStop follows
	}
	hooks := p.Env.Getenv(frame.CopilotHooks)
	if h.Kind == events.SessionStart && h.Transcript == "" && filepath.IsAbs(hooks) && filepath.Base(hooks) == "hooks" && h.Session != "" {
		h.Transcript = filepath.Join(filepath.Dir(hooks), sessionState, filepath.Base(h.Session), eventsFile)
	}
}

// meaning sets the fields of a hook by its kind, and takes from the payload what its event has. It returns the tool
// members that go into the rest.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Kind {
	case events.SessionStart:
		p.Text("source")
		if h.Source == "new" {
			h.Source = "startup"
		}
	case events.SessionEnd:
		h.Reason = p.Text("reason")
	case events.PromptSubmit:
		words, around := p.Prompt("prompt")
		h.Text, h.Machine = words, h.Lane != "" || agents.ByMachine(words)
		return around
	case events.ToolStart, events.ToolEnd:
		return toolCall(h, p)
	case events.CompactIntent:
		p.Text("trigger")
		h.Text = p.Text("custom_instructions")
	case events.TurnEnd:
		h.Text = wordsAtEnd(h.Transcript, p.Env)
	case events.SubagentEnd:
		h.Text = p.Text("last_assistant_message")
	}
	return nil
}

// wordsTail bounds the end of a transcript that is searched for an answer, in bytes: only events without content follow it.
const wordsTail = 128 << 10

// wordsAtEnd returns the model's newest words, which the hook at the end of a turn does not have: they end the session's file. It
// never blocks: only regular files are read.
func wordsAtEnd(path string, env agents.Env) string {
	if path == "" || env.Past {
		return ""
	}
	tail, _, err := disk.ReadEnd(env.Path(path), wordsTail)
	if err != nil {
		return ""
	}
	words := ""
	for b := range bytes.Lines(tail) {
		var e row
		if !transcript.Mentions(b, `"assistant.message"`, `"user.message"`) || json.Unmarshal(b, &e) != nil || e.Agent != "" {
			continue
		}
		switch text := strings.TrimSpace(e.Data.Content); {
		case e.Type == "user.message":
			words = ""
		case e.Type == "assistant.message" && text != "":
			words = text
		}
	}
	return redact.Text(words)
}

// toolCall reads the tool call of a hook. Calls of this client have no ids in hooks. It returns the parts of the call's input
// and response that no event has.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.Text("tool_name"), Action: events.OtherTool}
	h.Tool = t
	if h.Kind == events.ToolStart { // the event of a start has only the name
		return nil
	}
	in, out := agents.Members{From: p.From.Get("tool_input")}, agents.Members{From: p.From.Get("tool_result")}
	if h.Native == "PostToolUseFailure" {
		t.Failed, t.Error = true, p.Text("error")
	} else if kind := out.Text("result_type"); kind != "" && kind != "success" {
		t.Failed, t.Error = true, out.Text("text_result_for_llm")
		t.Refused = kind == "rejected" || kind == "denied"
	}
	t.Refused = t.Refused || strings.HasPrefix(t.Error, "The user rejected this tool call")
	const shown = "text_result_for_llm"
	switch t.Name {
	case "Bash":
		if agents.IsJournalCommand(in.From.Get("command")) {
			break // it reported something to the journal
		}
		t.Action, t.Command, t.About = events.RunCommand, in.Text("command"), in.Text("description")
		if t.Failed {
			break
		}
		output, exit := shellResult(out.Text(shown))
		t.Output = output
		switch {
		case exit != 0:
			agents.Failed(t, exit)
		case in.From.Get("mode").Str() == "async":
			t.Background = cmp.Or(in.Text("shellId"), "unknown")
		default:
			t.Mark = redact.Text(p.Output[0].Mark(t.Command))
		}
	case "Read":
		agents.File(h, events.ReadFile, in.Text("path"))
		out.Drop(shown) // the file
	case "Write":
		agents.File(h, events.WriteFile, in.Text("path"))
		in.Drop("file_text")
		out.Drop(shown)
	case "Edit":
		agents.File(h, events.EditFile, in.Text("path"))
		agents.SetReplacements(t, in.From, "old_str", "new_str")
		out.Drop(shown)
	case "AskUserQuestion":
		if !t.Failed && asked(t, in.From, out.From.Get(shown).Str()) {
			out.Drop(shown)
		}
	case "exit_plan_mode", "ExitPlanMode":
		if strings.HasPrefix(out.From.Get(shown).Str(), "Plan approved!") {
			t.Action, t.Plan = events.OfferPlan, in.Text("summary")
			out.Drop(shown)
		}
	case "Grep", "Glob":
		t.Query = in.From.Get("pattern").Str()
	}
	p.Drop("tool_input", "tool_result")
	return append(agents.RestMember("tool_input", in.Rest()), agents.RestMember("tool_result", out.Rest())...)
}

// asked reads the person's answer to a question, or those to the questions of a form, in the text for the model:
// User responded: storage=SQLite, size=small
func asked(t *events.ToolCall, in payload.Value, text string) (answered bool) {
	mark, answer, _ := strings.Cut(text, ": ")
	answer = strings.TrimSpace(answer)
	if answer == "" || mark != "User responded" && mark != "User selected" && mark != "User response (freeform)" {
		return false
	}
	fields := in.Get("requestedSchema").Get("properties")
	for name, field := range fields.Members() {
		_, own, ok := strings.Cut(", "+answer, ", "+name+"=")
		if !ok {
			continue
		}
		for next := range fields.Members() {
			own, _, _ = strings.Cut(own, ", "+next+"=")
		}
		question := cmp.Or(field.Get("title").Str(), field.Get("description").Str(), name)
		t.Answers = append(t.Answers, events.Answer{Question: question, Answer: own})
	}
	if t.Answers == nil {
		question := cmp.Or(in.Get("question").Str(), in.Get("message").Str())
		t.Answers = []events.Answer{{Question: question, Answer: answer}}
	}
	t.Action = events.AskPerson
	return true
}

// shellResult parses what the model is shown about a command: its output, and how it ended, in a line such as
// <shellId: 1 completed with exit code 1> or, of older clients, <exited with exit code 1>.
func shellResult(text string) (output string, exit int) {
	const mark = "ed with exit code "
	end := strings.TrimRight(text, "\n")
	i := strings.LastIndex("\n"+end, "\n<")
	if i < 0 {
		return text, 0
	}
	_, code, ok := strings.Cut(end[i:], mark)
	code, closed := strings.CutSuffix(code, ">")
	n, err := strconv.Atoi(code)
	if !ok || !closed || err != nil {
		return text, 0
	}
	return strings.TrimSuffix(text[:i], "\n"), n
}

// answer returns the client's output for a text to the model, and nil for other recipients, which this client cannot reach.
func answer(h events.Hook, to, text string) []byte {
	switch h.Native {
	case "SessionStart", "UserPromptSubmit", "PostToolUse":
	default:
		return nil
	}
	if text == "" || to != wire.ToModel {
		return nil
	}
	b, _ := json.Marshal(map[string]string{"additionalContext": text}) // strings always encode
	return append(b, '\n')
}
