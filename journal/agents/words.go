package agents

import (
	"encoding/json"
	"slices"
	"strings"

	"journal/events/text"
)

// Prompts in a person's place are sorted here, for every client: a client puts texts around a person's words, and some
// prompts nobody typed.

// Asides are elements that clients put in front of a person's words.
var Asides = []string{
	"system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "environment_context", "user_instructions",
	"open_and_recently_viewed_files", "attached_files",
}

// WithoutAsides returns a prompt without the elements that a client put in front.
func WithoutAsides(prompt string) string {
	for _, name := range Asides {
		if text := strings.TrimSpace(prompt); strings.HasPrefix(text, "<"+name+">") {
			if _, rest, closed := strings.Cut(text, "</"+name+">"); closed {
				return WithoutAsides(strings.TrimSpace(rest))
			}
		}
	}
	return prompt
}

// requestMark begins the line before the person's words where an editor puts its context and attachments in front of them. The
// line ends with the agent's name and a colon.
const requestMark = "\n## My request"

// aroundMarks begin what an editor puts in front of a person's words, up to a request mark.
var aroundMarks = []string{"# Context from my IDE setup:", "# Files mentioned by the user:", "# In app browser:", "# Review findings:"}

// behindMarks head what clients put behind a person's words: the content of files that these name, and where a plan came from.
var behindMarks = []string{"\n--- Content from referenced files ---", "\n--- Content from MCP resource ", "\n--- Extension: ", "\nIf you need specific details from before exiting plan mode"}

// machinePrompts begin prompts that a client, another session or a plugin wrote.
var machinePrompts = []string{
	"Another Claude session sent a message:", "<cross-session-message", "<agent-message", "<channel ", "<codex_delegation>", "<subagent_notification>",
	"<turn_aborted>", "<user_action>", "<user_shell_command>", "# AGENTS.md instructions for ", "Here is the user's editor context as a JSON object",
	"[SYSTEM REMINDER", "[SYSTEM NOTIFICATION", "[BACKGROUND TASK ", "Stop hook feedback:",
}

// Words separates a person's words from what the client put around them. Without a known mark all of the prompt is the
// person's.
func Words(prompt string) (words, around string) {
	if own := WithoutAsides(prompt); own != "" && own != prompt {
		prompt, around = own, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(prompt), own))
	}
	if query, ok := strings.CutPrefix(strings.TrimSpace(prompt), "<user_query>"); ok {
		query, _, _ = strings.Cut(query, "</user_query>")
		prompt = strings.TrimSpace(query)
	}
	begin := strings.TrimSpace(prompt)
	for _, mark := range aroundMarks {
		if !strings.HasPrefix(begin, mark) {
			continue
		}
		before, after, _ := strings.Cut(begin, requestMark)
		if _, words, ok := strings.Cut(after, ":"); ok && strings.TrimSpace(words) != "" {
			prompt, around = strings.TrimSpace(words), strings.TrimSpace(around+"\n"+before)
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

// MaxFindings is the number of findings that are kept of a turn.
const MaxFindings = 4

// Bounds of findings: UTF-16 units of the shortest, and of the shortest without a word that marks one.
const (
	minFinding  = 40
	longFinding = 300
)

// finds matches words that say a finding.
var finds = text.Pattern(`(?i)\b(?:root cause|found|turns out|the (?:\w+ )?(?:bug|problem|issue|cause|reason|culprit) (?:is|was)|because|(?:is|are|looks?) (?:also )?(?:fine|correct|ok)|ruled out|confirmed|not needed|no (?:\w+ )?(?:fix|change)(?:e?s)? (?:is |are )?needed|already)\b` +
	`|원인|때문|문제는|확인|필요 없|이미|문제없|原因|ためだ|ためです|問題は|問題な|確認|不要|すでに|既に`)

// IsFinding reports whether words of the agent say what it found out.
func IsFinding(words string) bool {
	n := text.Units(words)
	return n >= longFinding || n >= minFinding && finds().MatchString(words)
}

// AddFinding returns the first and the newest findings of a turn, oldest first, with words of the agent if they are one.
func AddFinding(findings []string, words string) []string {
	if !IsFinding(words) {
		return findings
	}
	if len(findings) == MaxFindings {
		findings = slices.Concat(findings[:1], findings[2:])
	}
	return append(slices.Clip(findings), words)
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
	marked := func(mark string) bool { return strings.HasPrefix(begin, mark) }
	aside := func(name string) bool { return marked("<" + name + ">") } // and nothing behind it
	return slices.ContainsFunc(machinePrompts, marked) || slices.ContainsFunc(Asides, aside) || stoppedAgents(begin)
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
	return words, Beside(around)
}

// Beside returns what the client put around a person's words as a member of the rest, or nil.
func Beside(around string) []Member {
	if around == "" {
		return nil
	}
	value, _ := json.Marshal(text.CutUnits(around, aroundUnits)) // strings always encode
	return []Member{{"around_prompt", value}}
}
