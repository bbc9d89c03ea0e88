// Package opencode supports OpenCode as of client 1.18.33 (docs/CLIENTS.md §13). OpenCode has no hooks that run programs, so our
// plugin, journal.js, calls journal. This package reads the plugin's payloads, writes the answers, and installs the plugin.
package opencode

import (
	"encoding/json"

	"journal/events"
	"journal/journal/agents"
	"journal/journal/agents/payload"
	"journal/journal/notes"
	"journal/journal/redact"
	"journal/journal/wire"
)

// Name is the agent's name in `journal hook NAME` and in the log.
const Name = "opencode"

// Dialect is the dialect of our plugin of OpenCode. The plugin sets JOURNAL_SESSION to the session's id in every shell.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "opencode --session",
	Tags:   []string{"system-reminder", "task_result"},
	Names:  agents.Names{Hook: "hook", Session: "session", Lane: "lane", Cwd: "directory", Trigger: "trigger"},
	Kinds:  kinds,
	Memory: []notes.Memory{{Names: "AGENTS.md", Loaded: "AGENTS.md"}},
	Limits: payload.Limits{
		Whole: payload.Paths("text", "said", "args.prompt", "args.plan", "metadata.plan", "todos[].content"),
		Drop: payload.Paths("metadata.output", // repeats the output
			"metadata.diff", "metadata.filediff", "metadata.diagnostics", "metadata.preview"),
	},
	Outputs: []string{"output"},
	Correct: func(h *events.Hook, p *agents.Payload) {
		p.DropText("directory", "trigger")
		// For a project without a repository the client reports "/".
		if tree := p.Text("worktree"); tree != "/" {
			h.Root = tree
		}
		h.PID = int(p.Number("pid"))
	},
	Meaning: meaning,
	Answers: answers,
	Answer:  agents.PluginAnswer,
})

// kinds maps the plugin's calls to their meaning.
var kinds = map[string]events.HookKind{
	"session.created":                 events.SessionStart,
	"session.resumed":                 events.SessionStart,
	"session.deleted":                 events.SessionEnd,
	"dispose":                         events.SessionEnd,
	"chat.message":                    events.PromptSubmit,
	"tool.execute.after":              events.ToolEnd,
	"tool.error":                      events.ToolEnd,
	"todo.updated":                    events.ToolEnd,
	"experimental.session.compacting": events.CompactIntent,
	"compaction.summary":              events.CompactEnd,
	"session.compacted":               events.ContextRestart,
	"session.idle":                    events.TurnEnd,
	"session.error":                   events.TurnFail,
	"session.reverted":                events.Rewind,
	"usage":                           events.UsageSample,
}

// meaning implements agents.Dialect.Meaning.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Native {
	case "session.created":
		h.Source, h.Headless = "startup", agents.Headless(p.Text("entry"))
		if h.Lane != "" {
			h.Kind, h.AgentType, h.Headless = events.SubagentStart, p.Text("agent"), false
		}
	case "session.resumed":
		h.Source, h.Headless = "resume", agents.Headless(p.Text("entry"))
	case "session.deleted", "dispose":
		h.Reason = h.Native
	case "chat.message":
		// A subagent's prompt is the task from its parent.
		words, around := p.Prompt("text")
		h.Text, h.Machine, h.Turn = typed(words), h.Lane != "" || agents.ByMachine(words), p.Text("message")
		return around
	case "session.reverted":
		h.Turn = p.Text("message")
		h.Restored, _ = p.From.Get("files").Bool()
		p.Drop("files")
	case "experimental.session.compacting":
		h.Said, h.SinceSaid = p.Text("said"), int(p.Number("calls"))
		var findings []agents.Finding
		for words := range p.From.Get("earlier").Items() {
			findings = agents.AddFinding(findings, agents.Finding{Words: words.Str(), Spoken: true})
		}
		for _, f := range findings {
			h.Findings = append(h.Findings, f.Words)
		}
		p.Drop("earlier")
	case "compaction.summary":
		h.Text = p.Text("text")
	case "session.idle":
		h.Text = p.Text("said")
		if h.Lane != "" {
			h.Kind = events.SubagentEnd
		}
	case "session.error":
		e := agents.Members{From: p.From.Get("error")}
		h.Reason, h.Text = e.Text("name"), e.From.Path("data", "message").Str()
		if h.Reason == "MessageAbortedError" {
			h.Kind, h.Reason, h.Said = events.TurnInterrupt, "", p.Text("said")
		}
	case "usage":
		h.Model, h.Usage = p.Text("model"), &events.Usage{Tokens: p.Number("tokens"), Window: p.Number("window")}
		if u := h.Usage; u.Window > 0 {
			u.Percent = int(min(100, (u.Tokens*100+u.Window/2)/u.Window))
		}
	case "tool.execute.after", "tool.error", "todo.updated":
		return toolCall(h, p)
	}
	return nil
}

// typed returns a prompt without the JSON quotes that `opencode run` adds. It redacts an unquoted prompt again, because the redaction
// of the quoted text does not recognise a secret after an escaped \n.
func typed(prompt string) string {
	var inner string
	if json.Unmarshal([]byte(prompt), &inner) == nil {
		return redact.Text(inner)
	}
	return prompt
}

// answers implements agents.Dialect.Answers.
var answers = []agents.AnswerRule{
	{At: events.ContextRestart, Kind: wire.RecoveryText},
	// A resumed session gets the recovery text again: it was only in the requests of the process that has ended.
	{At: events.SessionStart, Kind: wire.RecoveryText, If: func(h events.Hook) bool { return h.Source == "resume" }},
	{At: events.SessionStart, Kind: wire.StartText},
	{At: events.PromptSubmit, Kind: wire.DueText, If: agents.OnMain},
	{At: events.ToolEnd, Kind: wire.DueAtWork, If: func(h events.Hook) bool { return h.Native == "tool.execute.after" }},
	{At: events.CompactIntent, Kind: wire.Guidance},
	{At: events.TurnEnd, Kind: wire.StopAdvice},
}
