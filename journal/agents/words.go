package agents

import (
	"encoding/json"
	"strings"

	"journal/events/text"
)

// Prompts in a person's place are sorted here, for every client: a client puts texts around a person's words, and some
// prompts nobody typed.

// requestMark begins the line before the person's words where an editor puts its context and attachments in front of them. The
// line ends with the agent's name and a colon.
const requestMark = "\n## My request"

// aroundMarks begin what an editor puts in front of a person's words, up to a request mark.
var aroundMarks = []string{"# Context from my IDE setup:", "# Files mentioned by the user:", "# In app browser:", "# Review findings:"}

// behindMarks head what clients put behind a person's words, such as the content of files that these name.
var behindMarks = []string{"\n--- Content from referenced files ---"}

// machinePrompts begin prompts that a client, another session or a plugin wrote.
var machinePrompts = []string{"Another Claude session sent a message:", "<cross-session-message", "<agent-message", "<channel ", "<codex_delegation>", "<subagent_notification>"}

// Words separates a person's words from what the client put around them. Without a known mark all of the prompt is the
// person's.
func Words(prompt string) (words, around string) {
	begin := strings.TrimSpace(prompt)
	for _, mark := range aroundMarks {
		if !strings.HasPrefix(begin, mark) {
			continue
		}
		before, after, _ := strings.Cut(begin, requestMark)
		if _, words, ok := strings.Cut(after, ":"); ok && strings.TrimSpace(words) != "" {
			prompt, around = strings.TrimSpace(words), strings.TrimSpace(before)
		}
		break
	}
	for _, mark := range behindMarks {
		if before, after, ok := strings.Cut(prompt, mark); ok && strings.TrimSpace(before) != "" {
			prompt, around = strings.TrimRight(before, "\n"), strings.TrimSpace(around+"\n"+after)
		}
	}
	return prompt, around
}

// Headless reports whether a program started an agent, and nobody sits at it. entry is the client's own name of what started
// it: Claude Code's entry point, Codex' source or originator, OpenCode's command.
func Headless(entry string) bool {
	switch entry {
	case "exec", "codex_exec", "mcp", "run", "claude-code-github-action":
		return true
	}
	return strings.HasPrefix(entry, "sdk-") || strings.HasPrefix(entry, "codex_sdk")
}

// ByMachine reports whether no person wrote a prompt, as its beginning shows.
func ByMachine(prompt string) bool {
	begin := strings.TrimSpace(prompt)
	for _, mark := range machinePrompts {
		if strings.HasPrefix(begin, mark) {
			return true
		}
	}
	return stoppedAgents(begin)
}

// stoppedAgents reports whether a prompt says that background agents were stopped: "2 background agents were stopped by
// the user: …".
func stoppedAgents(prompt string) bool {
	count, rest, _ := strings.Cut(prompt, " ")
	digits := strings.Trim(count, "0123456789") == "" && count != ""
	return digits && (strings.HasPrefix(rest, "background agents were stopped by the user:") || strings.HasPrefix(rest, "background agent was stopped by the user:"))
}

// aroundUnits bounds what is kept of the texts around a person's words, in UTF-16 units.
const aroundUnits = 2000

// Prompt takes a prompt from a payload: the person's words, and as a member of the rest what the client put around them.
func (p *Payload) Prompt(name string) (words string, beside []Member) {
	words, around := Words(p.Text(name))
	if around == "" {
		return words, nil
	}
	value, _ := json.Marshal(text.CutUnits(around, aroundUnits)) // strings always encode
	return words, []Member{{"around_prompt", value}}
}
