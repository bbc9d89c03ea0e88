// Package copilot supports GitHub Copilot CLI as of client 1.0.102 (docs/CLIENTS.md §19): its hooks in copilot.go, its transcripts in
// transcript_reader.go, its installation in install.go. A hook that is configured under Claude Code's name for it gets a payload in
// Claude Code's form.
package copilot

import (
	"bytes"
	"cmp"
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

// Dialect is the dialect of Copilot CLI's hooks. Of the environment, which has the provider's key, it reads only variables of
// package frame.
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
	Correct: correct,
	Meaning: meaning,
	DropRepeated: func(h *events.Hook, p *agents.Payload) {
		if h.Kind != events.Other {
			p.Drop("timestamp", "transcript_path", "agent_type", "agent_name", "parent_agent_id", "stop_reason", "stop_hook_active", "initial_prompt")
		}
		p.TakeCwd(h)
	},
	// No hook follows a compaction: the next prompt or tool call gets the recovery text.
	Answers: []agents.AnswerRule{
		{At: events.SessionStart, Kind: wire.StartText, If: func(h events.Hook) bool { return h.Source != "resume" }},
		{At: events.PromptSubmit, Kind: wire.DueText, If: agents.OnMain},
		{At: events.ToolEnd, Kind: wire.DueAtWork, If: func(h events.Hook) bool { return !h.Tool.Failed }},
	},
	Answer: agents.ModelAnswer("additionalContext", "SessionStart", "UserPromptSubmit", "PostToolUse"),
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
	"Stop":               events.TurnEnd,
	"SubagentStop":       events.SubagentEnd,
}

// correct implements agents.Dialect.Correct. It sets the session and the transcript. In hooks of a subagent, session_id is the subagent's
// id, and parent_agent_id the session's. The hook of a start does not name the transcript, which is beside the folder of the hooks.
func correct(h *events.Hook, p *agents.Payload) {
	h.Session = cmp.Or(p.From.Get("parent_agent_id").Str(), h.Session)
	if h.Kind == events.TurnEnd && h.Lane != "" {
		h.Kind = events.Nothing // the hook SubagentStop follows and reports the end
	}
	hooks := p.Env.Getenv(frame.CopilotHooks)
	if h.Kind == events.SessionStart && h.Transcript == "" && filepath.IsAbs(hooks) && filepath.Base(hooks) == "hooks" && h.Session != "" {
		h.Transcript = filepath.Join(filepath.Dir(hooks), sessionState, filepath.Base(h.Session), eventsFile)
	}
}

// meaning implements agents.Dialect.Meaning.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Kind {
	case events.SessionStart:
		p.DropText("source")
		if h.Source == "new" {
			h.Source = "startup"
		}
	case events.TurnEnd:
		h.Text = wordsAtEnd(h.Transcript, p.Env)
	default:
		return agents.HookMeaning(h, p, toolCall)
	}
	return nil
}

// wordsTail is the size of the end of a transcript that wordsAtEnd searches, in bytes. Only rows without content follow the last answer.
const wordsTail = 128 << 10

// wordsAtEnd returns the model's newest words since the person's last prompt, from the end of the transcript: the hook at the end of a
// turn does not have them. Only regular files are opened, so the call never waits for a pipe.
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
		if !transcript.Mentions(b, `"assistant.message"`, `"user.message"`) || transcript.Unmarshal(b, &e) != nil || e.Agent != "" {
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

// toolCall reads the tool call of a hook. It returns the parts of the call's input and response that no event has. Calls have no ids
// in this client's hooks.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.Text("tool_name"), Action: events.OtherTool}
	h.Tool = t
	if h.Kind == events.ToolStart { // the event of a start has only the name
		return nil
	}
	const forModel = "text_result_for_llm"
	in, out := agents.Members{From: p.From.Get("tool_input")}, agents.Members{From: p.From.Get("tool_result")}
	if h.Native == "PostToolUseFailure" {
		t.Failed, t.Error = true, p.Text("error")
	} else if kind := out.Text("result_type"); kind != "" && kind != "success" {
		t.Failed, t.Error = true, out.Text(forModel)
		t.Refused = kind == "rejected" || kind == "denied"
	}
	t.Refused = t.Refused || strings.HasPrefix(t.Error, "The user rejected this tool call")
	switch t.Name {
	case "Bash":
		if agents.IsJournalCommand(in.From.Get("command")) {
			break
		}
		t.Action, t.Command, t.About = events.RunCommand, in.Text("command"), in.Text("description")
		if t.Failed {
			break
		}
		output, exit := shellResult(out.Text(forModel))
		t.Output = output
		switch {
		case exit != 0:
			agents.SetExit(t, exit)
		case in.From.Get("mode").Str() == "async":
			t.Background = cmp.Or(in.Text("shellId"), "unknown")
		default:
			t.Mark = redact.Text(p.Output[0].Mark(t.Command))
		}
	case "Read", "Write", "Edit":
		agents.SetFile(h.Tool, h.Cwd, fileActions[t.Name], &in)
		in.Drop("file_text")
		out.Drop(forModel) // content of the file
	case "AskUserQuestion":
		if !t.Failed && readAnswers(t, in.From, out.From.Get(forModel).Str()) {
			out.Drop(forModel)
		}
	case "exit_plan_mode", "ExitPlanMode":
		if strings.HasPrefix(out.From.Get(forModel).Str(), "Plan approved!") {
			t.Action, t.Plan = events.OfferPlan, in.Text("summary")
			out.Drop(forModel)
		}
	case "Grep", "Glob":
		t.Query = in.From.Get("pattern").Str()
	}
	p.Drop("tool_input", "tool_result")
	return append(agents.RestMember("tool_input", in.Rest()), agents.RestMember("tool_result", out.Rest())...)
}

// fileActions maps the tools for one file to what they do.
var fileActions = map[string]events.Action{"Read": events.ReadFile, "Write": events.WriteFile, "Edit": events.EditFile}

// readAnswers reads the person's answer to a question, or the answers to the questions of a form, from the text for the model. in is
// the input of the call. It returns false if the text has no answer. The text about a form is like
// "User responded: storage=SQLite, size=small".
func readAnswers(t *events.ToolCall, in payload.Value, text string) (answered bool) {
	mark, answer, _ := strings.Cut(text, ": ")
	answer = strings.TrimSpace(answer)
	if answer == "" || mark != "User responded" && mark != "User selected" && mark != "User response (freeform)" {
		return false
	}
	fields := in.Get("requestedSchema").Get("properties")
	for name, field := range fields.Members() {
		_, value, ok := strings.Cut(", "+answer, ", "+name+"=")
		if !ok {
			continue
		}
		for next := range fields.Members() {
			value, _, _ = strings.Cut(value, ", "+next+"=")
		}
		question := cmp.Or(field.Get("title").Str(), field.Get("description").Str(), name)
		t.Answers = append(t.Answers, events.Answer{Question: question, Answer: value})
	}
	if t.Answers == nil {
		question := cmp.Or(in.Get("question").Str(), in.Get("message").Str())
		t.Answers = []events.Answer{{Question: question, Answer: answer}}
	}
	t.Action = events.AskPerson
	return true
}

// shellResult parses the text about a command for the model. The text ends with the exit code, in a line such as
// <shellId: 1 completed with exit code 1> or, in older clients, <exited with exit code 1>. exit is 0 if there is no such line.
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
