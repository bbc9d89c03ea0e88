// Package opencode knows OpenCode as of client 1.18.33 (docs/CLIENTS.md §13). OpenCode has no hooks that run programs;
// the plugin, journal.js, calls one for it. This package reads what the plugin sends, and writes the answers;
// install.go installs the plugin.
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

// Dialect is declared for look-ups by name. The plugin sets JOURNAL_SESSION to the session id in every shell.
var Dialect = agents.Declare(agents.Dialect{
	Agent:  Name,
	Resume: "opencode --session",
	Tags:   []string{"system-reminder", "task_result"},
	Names:  agents.Names{Hook: "hook", Session: "session", Lane: "lane", Cwd: "directory", Trigger: "trigger"},
	Kinds:  kinds,
	Memory: []notes.Memory{{Names: "AGENTS.md", Loaded: "AGENTS.md"}},
	Limits: payload.Limits{
		Whole: payload.Paths("text", "said", "args.prompt", "args.plan", "metadata.plan", "todos[].content"),
		Drop: payload.Paths("metadata.output", // the output again
			"metadata.diff", "metadata.filediff", "metadata.diagnostics", "metadata.preview"),
	},
	Outputs: []string{"output"},
	Place: func(h *events.Hook, p *agents.Payload) {
		p.Text("directory")
		p.Text("trigger")
		// The client reports the root directory for a project without a repository.
		if tree := p.Text("worktree"); tree != "/" {
			h.Root = tree
		}
		h.PID = int(p.Number("pid"))
	},
	Meaning: meaning,
	Owed:    owed,
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

// meaning sets the fields of a hook by the plugin's call, and takes from the payload what its event has. It returns the
// tool members that go into the rest.
func meaning(h *events.Hook, p *agents.Payload) []agents.Member {
	switch h.Native {
	case "session.created":
		h.Source = "startup"
		headless := agents.Headless(p.Text("entry"))
		if h.Lane != "" {
			h.Kind, h.AgentType = events.SubagentStart, p.Text("agent")
			break
		}
		h.Headless = headless
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
		for words := range p.From.Get("earlier").Items() {
			h.Findings = agents.AddFinding(h.Findings, words.Str())
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

// typed removes the quotes that `opencode run` puts around a prompt. It redacts the unquoted text again: a secret after
// an escaped \n was not recognised as a word.
func typed(prompt string) string {
	var inner string
	if json.Unmarshal([]byte(prompt), &inner) == nil {
		return redact.Text(inner)
	}
	return prompt
}

var owed = []agents.Owed{
	{At: events.ContextRestart, Answer: wire.RecoveryText},
	// At a resume the text was in requests of a process that is gone.
	{At: events.SessionStart, Answer: wire.RecoveryText, If: func(h events.Hook, _ agents.Env) bool { return h.Source == "resume" }},
	{At: events.SessionStart, Answer: wire.StartText},
	{At: events.PromptSubmit, Answer: wire.DueText, If: agents.OnMain},
	{At: events.ToolEnd, Answer: wire.DueAtWork, If: func(h events.Hook, _ agents.Env) bool { return h.Native == "tool.execute.after" }},
	{At: events.CompactIntent, Answer: wire.Guidance},
	{At: events.TurnEnd, Answer: wire.StopAdvice},
}
