// Package codex knows Codex CLI as of client 0.169.0 (docs/CLIENTS.md §12): its hooks in
// codex.go, its transcripts (rollouts) in transcript_*.go, its installation
// in install.go.
package codex

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/redact"
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

// toolCall reads the tool call of a hook. It gives what of the call's input and response
// stands in no event. The client tells no exit code, and of a call that was denied or
// could not begin nothing at all.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.From.Get("tool_name").Str(), Use: p.Text("tool_use_id"), Action: events.OtherTool}
	h.Tool = t
	in, out := agents.Taker{From: p.From.Get("tool_input")}, agents.Taker{From: p.From.Get("tool_response")}
	if h.Kind == events.ToolStart { // its event has name and id
		p.Text("tool_name")
		return nil
	}
	response := out.From.Str()
	answered := false // the response stands in the event
	switch t.Name {
	case "Bash":
		if agents.TellsJournal(in.From.Get("command")) {
			break // it told the journal something
		}
		t.Action, t.Command, t.About = events.RunCommand, in.Text("command"), in.Text("description")
		t.Output, answered = response, true
		t.Mark = redact.Text(p.Output[0].MarkUntold(t.Command))
	case "apply_patch":
		exit, text, told := patched(response)
		if t.Failed, t.Exit = told && exit != 0, exit; t.Failed {
			t.Error, answered = text, true
			break
		}
		patch := in.From.Get("command").Str()
		if t.Action, t.Paths = pathsOf(patch, h.Cwd); t.Action == events.OtherTool {
			break
		}
		t.Replaced = replaced(patch, h.Cwd)
		answered = told
	case "update_plan":
		t.Action = events.WriteTodos
		for step := range in.From.Get("plan").Items() {
			if text := step.Get("step").Str(); text != "" {
				t.Todos = append(t.Todos, events.Todo{Text: text, Status: cmp.Or(step.Get("status").Str(), "pending")})
			}
		}
		in.Drop("plan")
		answered = response == "Plan updated"
	case "spawn_agent":
		var said struct {
			Agent string `json:"agent_id"`
		}
		if json.Unmarshal([]byte(response), &said) == nil && said.Agent != "" && in.From.Get("message").Str() != "" {
			t.Action, t.Task, t.Lane = events.RunAgent, in.Text("message"), said.Agent
		}
	}
	if t.Action != events.RunAgent { // whose event has no name of the tool
		p.Text("tool_name")
	}
	p.Drop("tool_input", "tool_response")
	members := agents.Left("tool_input", in.Rest())
	if !answered {
		members = append(members, agents.Left("tool_response", out.Rest())...)
	}
	return members
}

// patched reads what the client says of a patch: "Exit code: 0", lines about the run,
// "Output:", and the output.
func patched(response string) (exit int, output string, told bool) {
	rest, told := strings.CutPrefix(response, "Exit code: ")
	if !told {
		return 0, response, false
	}
	line, _, _ := strings.Cut(rest, "\n")
	exit, err := strconv.Atoi(line)
	_, output, _ = strings.Cut(rest, "\nOutput:\n")
	return exit, output, err == nil
}

// The lines of a patch that name a file.
const (
	adds, updates, deletes, moves = "*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "
)

// pathsOf lists the files that a patch leaves changed, in their order, below cwd, and
// what was done with them: they were written when all are new. Deleted files are none.
func pathsOf(patch, cwd string) (action events.Action, paths []string) {
	action = events.WriteFile
	put := func(path string) {
		if path = below(cwd, path); !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	for line := range strings.Lines(patch) {
		line = strings.TrimRight(line, "\r\n")
		if path, ok := strings.CutPrefix(line, adds); ok {
			put(path)
		} else if path, ok := strings.CutPrefix(line, updates); ok {
			action = events.EditFile
			put(path)
		} else if path, ok := strings.CutPrefix(line, moves); ok && len(paths) > 0 {
			paths = paths[:len(paths)-1]
			put(path)
		} else if strings.HasPrefix(line, deletes) {
			action = events.EditFile
		}
	}
	if paths == nil {
		return events.OtherTool, nil
	}
	return action, paths
}

func below(cwd, path string) string { return agents.Below(cwd, strings.TrimSpace(path)) }

// replaced lists what a patch replaced in the files that it updated, a hunk each.
func replaced(patch, cwd string) (all []events.Replaced) {
	var r events.Replaced
	take := func() {
		if r.Old != r.New {
			all = append(all, r)
		}
		r.Old, r.New = "", ""
	}
	for line := range strings.Lines(patch) {
		switch {
		case strings.HasPrefix(line, "*** "):
			take()
			r.Path = ""
			if path, ok := strings.CutPrefix(line, updates); ok {
				r.Path = below(cwd, path)
			}
		case r.Path == "":
		case strings.HasPrefix(line, "@@"):
			take()
		case strings.HasPrefix(line, "-"):
			r.Old += line[1:]
		case strings.HasPrefix(line, "+"):
			r.New += line[1:]
		default:
			r.Old += strings.TrimPrefix(line, " ")
			r.New += strings.TrimPrefix(line, " ")
		}
	}
	take()
	return all
}
