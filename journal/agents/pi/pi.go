// Package pi supports pi as of client 1.6.0 (docs/CLIENTS.md §20): the calls of our extension, journal.js, in pi.go, the client's
// transcripts (sessions) in transcript_reader.go, the installation in install.go.
package pi

import (
	"strconv"
	"strings"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/notes"
	"journal/journal/redact"
	"journal/journal/wire"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "pi"

// Dialect is the dialect of our extension of pi.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "pi --session",
	Vars:   agents.Vars{Session: "PI_SESSION_ID"},
	Tags:   []string{"skill", "read-files", "modified-files"},
	Names:  agents.Names{Hook: "hook", Session: "session", Cwd: "directory", Source: "source", Trigger: "trigger", Transcript: "transcript"},
	Kinds:  kinds,
	Memory: []notes.Memory{{Names: "AGENTS.md", Loaded: "AGENTS.md"}},
	Limits: payload.Limits{
		Whole: payload.Paths("text", "said", "summary", "instructions"),
		Drop:  payload.Paths("details.diff", "details.patch"),
	},
	Outputs: []string{"output"},
	Correct: func(h *events.Hook, p *agents.Payload) {
		h.PID = int(p.Number("pid"))
		p.DropText("directory")
	},
	Meaning: meaning,
	DropRepeated: func(h *events.Hook, p *agents.Payload) {
		p.DropText("source", "transcript", "trigger")
	},
	// The texts of hooks stay in a session, also after it was resumed or forked.
	Answers: []agents.AnswerRule{
		{At: events.ContextRestart, Kind: wire.RecoveryText},
		{At: events.SessionStart, Kind: wire.StartText, If: func(h events.Hook) bool { return h.Source != "resume" && h.Source != "fork" }},
		{At: events.PromptSubmit, Kind: wire.DueText},
		{At: events.ToolEnd, Kind: wire.DueAtWork},
		{At: events.TurnEnd, Kind: wire.StopAdvice},
	},
	Answer: agents.PluginAnswer,
})

// kinds maps the extension's calls to their meaning.
var kinds = map[string]events.HookKind{
	"session_start":          events.SessionStart,
	"session_shutdown":       events.SessionEnd,
	"input":                  events.PromptSubmit,
	"tool_result":            events.ToolEnd,
	"session_before_compact": events.CompactIntent,
	"session_compact":        events.CompactEnd,
	"compacted":              events.ContextRestart,
	"agent_settled":          events.TurnEnd,
	"usage":                  events.UsageSample,
}

// meaning implements agents.Dialect.Meaning.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Kind {
	case events.SessionStart:
		h.Headless = agents.Headless(p.Text("mode"))
		if h.Source == "new" {
			h.Source = "startup"
		}
	case events.SessionEnd:
		h.Reason = p.Text("reason")
	case events.PromptSubmit:
		words, around := p.Prompt("text")
		machine, _ := p.From.Get("machine").Bool()
		p.Drop("machine")
		h.Text, h.Machine = typed(words), machine || agents.ByMachine(words)
		return around
	case events.ToolEnd:
		return toolCall(h, p)
	case events.CompactIntent:
		h.Text, h.Said, h.SinceSaid = p.Text("instructions"), p.Text("said"), int(p.Number("calls"))
	case events.CompactEnd:
		h.Text = p.Text("summary")
	case events.TurnEnd:
		turnEnd(h, p)
	case events.UsageSample:
		h.Model, h.Usage = p.Text("model"), &events.Usage{Tokens: p.Number("tokens"), Window: p.Number("window")}
		if u := h.Usage; u.Window > 0 {
			u.Percent = int(min(100, u.Tokens*100/u.Window))
		}
	}
	return nil
}

// turnEnd reads the end of a turn.
func turnEnd(h *events.Hook, p *agents.Payload) {
	answer, problem := p.Text("said"), p.Text("error")
	aborted, _ := p.From.Get("aborted").Bool()
	p.Drop("aborted")
	switch {
	case aborted:
		h.Kind, h.Said = events.TurnInterrupt, answer
	case problem != "":
		h.Kind, h.Text = events.TurnFail, problem
	default:
		h.Text = answer
	}
}

// Parts of the text about a command that the client shows the model: the text before an exit code, and that in place of an empty output.
const (
	exited   = "Command exited with code "
	noOutput = "(no output)"
)

// toolCall reads a tool call that ended. It returns the parts of its arguments and details that no event has.
func toolCall(h *events.Hook, p *agents.Payload) []agents.Member {
	t := &events.ToolCall{Name: p.Text("tool"), Use: p.Text("call"), Action: events.OtherTool}
	h.Tool = t
	in, details := agents.Members{From: p.From.Get("args")}, agents.Members{From: p.From.Get("details")}
	t.Failed, _ = p.From.Get("failed").Bool()
	if t.Failed {
		t.Error = p.Text("output")
	}
	switch t.Name {
	case "bash", "powershell":
		command(t, &in, p)
	case "read":
		agents.SetFile(h.Tool, h.Cwd, events.ReadFile, &in)
		if limit := in.Number("limit"); limit > 0 { // without a limit the client decides how many lines it reads
			t.From = int(max(1, in.Number("offset")))
			t.To = t.From + int(limit) - 1
		}
		p.Drop("output") // content of the file
	case "write":
		agents.SetFile(h.Tool, h.Cwd, events.WriteFile, &in)
		in.Drop("content")
		p.Drop("output")
	case "edit":
		agents.SetFile(h.Tool, h.Cwd, events.EditFile, &in)
		p.Drop("output")
	case "grep", "find":
		t.Query = in.From.Get("pattern").Str()
	}
	details.Drop("journal") // our extension added this member
	p.Drop("args", "details", "failed")
	return append(agents.RestMember("args", in.Rest()), agents.RestMember("details", details.Rest())...)
}

// command reads the call of a command. The exit code of a failed one is at the end of the text for the model.
func command(t *events.ToolCall, in *agents.Members, p *agents.Payload) {
	if agents.IsJournalCommand(in.From.Get("command")) {
		return
	}
	t.Action, t.Command = events.RunCommand, in.Text("command")
	if !t.Failed {
		t.Output = strings.TrimPrefix(p.Text("output"), noOutput)
		t.Mark = redact.Text(p.Output[0].Mark(t.Command))
		return
	}
	i := strings.LastIndex(t.Error, "\n"+exited)
	if i < 0 {
		return
	}
	exit, err := strconv.Atoi(t.Error[i+1+len(exited):])
	if err != nil {
		return
	}
	t.Exit, t.Error = exit, strings.TrimPrefix(strings.TrimSpace(t.Error[:i]), noOutput)
}
