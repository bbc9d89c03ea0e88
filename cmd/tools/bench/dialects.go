package main

import (
	"fmt"
	"path/filepath"

	"journal/journal/agents/claude"
	"journal/journal/agents/codex"
	"journal/journal/agents/gemini"
	"journal/journal/agents/opencode"
)

// spoken has, for each agent, a file of its package with a payload about a command that was captured from the client, the event
// of the payload, and the member that differs between two calls.
var spoken = []struct{ agent, file, event, id string }{
	{claude.Name, "testdata/captured/PostToolUse.Bash.json", "PostToolUse", "tool_use_id"},
	{codex.Name, "testdata/captured/PostToolUse-Bash.json", "PostToolUse", "tool_use_id"},
	{gemini.Name, "testdata/captured/AfterTool-run_shell_command.json", "AfterTool", "timestamp"},
	{opencode.Name, "testdata/plugin/calls.jsonl", "tool.execute.after", "callID"},
}

// dialects is row 13: the hook after a command in the dialect of each agent, while an owner runs. That of OpenCode is the payload
// of its plugin.
func (b *bench) dialects() []line {
	s := b.newStore()
	b.start(s)
	group := []variant{b.hello()}
	for _, d := range spoken {
		call := ofEvent(load(filepath.Join("journal", "agents", d.agent, filepath.FromSlash(d.file)), b.root), d.event)
		group = append(group, b.sending("hook of "+d.agent, s.hookOf(d.agent), func(n int) payload {
			return call.with(payload{d.id: fmt.Sprintf("%s-%d", d.id, n)})
		}).against(1, bar{beyond: 2.2}))
	}
	lines := b.measure(b.n, group...)
	sent, kept := (b.n+1)*len(spoken), b.commands(s)
	return append(lines, line{What: "commands kept", Value: fmt.Sprintf("%d of %d", kept, sent)}.reached("all", kept == sent))
}

// ofEvent returns the first payload of an event.
func ofEvent(r recording, event string) payload {
	for _, p := range r {
		if p["hook_event_name"] == event || p["hook"] == event {
			return p
		}
	}
	check(fmt.Errorf("no payload of %s", event))
	return nil
}
