package agents

import (
	"encoding/json"
	"slices"
	"strings"

	"journal/events/text"
)

// This file separates a person's words from the texts that clients add to a prompt, and recognises prompts that nobody typed. It
// knows the texts of all clients.

// Asides names the elements that clients add before a person's words.
var Asides = []string{
	"system-reminder", "ide_opened_file", "ide_selection", "ide_diagnostics", "environment_context", "user_instructions",
	"open_and_recently_viewed_files", "attached_files",
}

// WithoutAsides returns a prompt without the elements of Asides at its beginning.
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

// requestMark is the beginning of the line between an editor's context and the person's words. The line ends with the agent's name
// and a colon.
const requestMark = "\n## My request"

// contextMarks lists beginnings of the context that an editor adds before a person's words. The context ends at a requestMark.
var contextMarks = []string{"# Context from my IDE setup:", "# Files mentioned by the user:", "# In app browser:", "# Review findings:"}

// appendixMarks lists beginnings of the texts that clients add after a person's words: the content of files that the words name, and
// the origin of a plan.
var appendixMarks = []string{"\n--- Content from referenced files ---", "\n--- Content from MCP resource ", "\n--- Extension: ", "\nIf you need specific details from before exiting plan mode"}

// machinePrompts lists beginnings of prompts that a client, another session or a plugin wrote.
var machinePrompts = []string{
	"Another Claude session sent a message:", "<cross-session-message", "<agent-message", "<channel ", "<codex_delegation>", "<subagent_notification>",
	"<codex_internal_context ", "<goal_context>", "<hook_prompt ", "<heartbeat>", "A session-scoped Stop hook is now active with condition: ",
	"<turn_aborted>", "<user_action>", "<user_shell_command>", "# AGENTS.md instructions for ", "Here is the user's editor context as a JSON object",
	"[SYSTEM REMINDER", "[SYSTEM NOTIFICATION", "[BACKGROUND TASK ", "Stop hook feedback:",
	"<tick>", "<<autonomous-loop", "<mcp-resource-update", "<mcp-polling-update", "<github-webhook-activity", "<channel-message", "<fork-boilerplate>",
	"<ultraplan", "<remote-review", "[SUGGESTION MODE:", "This session is being continued from a previous conversation",
}

// Words separates a person's words from the texts that the client added around them. If the prompt has no known mark, all of it is the
// person's words.
func Words(prompt string) (words, around string) {
	if own := WithoutAsides(prompt); own != "" && own != prompt {
		prompt, around = own, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(prompt), own))
	}
	if query, ok := strings.CutPrefix(strings.TrimSpace(prompt), "<user_query>"); ok {
		query, behind, _ := strings.Cut(query, "</user_query>")
		prompt, around = strings.TrimSpace(query), strings.TrimSpace(around+"\n"+behind)
	}
	begin := strings.TrimSpace(prompt)
	for _, mark := range contextMarks {
		if !strings.HasPrefix(begin, mark) {
			continue
		}
		before, after, _ := strings.Cut(begin, requestMark)
		if _, words, ok := strings.Cut(after, ":"); ok && strings.TrimSpace(words) != "" {
			prompt, around = strings.TrimSpace(words), strings.TrimSpace(around+"\n"+before)
		}
		break
	}
	for _, mark := range appendixMarks {
		if before, after, ok := strings.Cut(prompt, mark); ok && strings.TrimSpace(before) != "" {
			prompt, around = strings.TrimRight(before, "\n"), strings.TrimSpace(around+"\n"+after)
		}
	}
	return prompt, around
}

// maxFindings is the largest number of findings that are kept of a turn. The oldest and the newestFindings newest ones are kept whatever
// their evidence.
const (
	maxFindings    = 10
	newestFindings = 5
)

// A text of at least longFinding UTF-16 units is a finding. A shorter one of at least minFinding is a finding if findingWords match it,
// or if it has a list.
const (
	minFinding  = 40
	longFinding = 300
)

// findingWords matches words that mark a finding, in English, Korean and Japanese.
var findingWords = text.Pattern(`(?i)\b(?:root cause|found|turns out|the (?:\w+ )?(?:bug|problem|issue|cause|reason|culprit) (?:is|was)|because|(?:is|are|looks?) (?:also )?(?:fine|correct|ok)|ruled out|confirmed|confirms|explains|(?:this is|could be|might be|must be) the (?:\w+ )?(?:bug|problem|issue|cause|reason)|key (?:insight|finding)|the only (?:one|place)|but now|not needed|no (?:\w+ )?(?:fix|change)(?:e?s)? (?:is |are )?needed|already` +
	`|no longer|unused|only (?:called|defined|used|produced|set)|(?:doesn't|does not|don't|do not) (?:exist|have)|there (?:is|are) (?:only|no|\d+)|in (?:every|each|both) case)\b|(?:^|[.!?] |\n)So (?:the|this|that|it|these|those|there|only|both|all|between|\S*\d\S*) ` +
	`|원인|때문|문제는|확인|필요 없|이미|문제없|따라서|결국|아니라|原因|ためだ|ためです|問題は|問題な|確認|不要|すでに|既に|つまり|結局|ではなく`)

// listed matches a list of at least two items.
var listed = text.Pattern(`(?s)(?:^|\n)\s*(?:[-*•]|\d+[.)])\s.*\n\s*(?:[-*•]|\d+[.)])\s`)

// IsFinding reports whether a text of the agent probably states something that it found out, or its steps.
func IsFinding(words string) bool {
	n := text.Units(words)
	return n >= longFinding || n >= minFinding && (findingWords().MatchString(words) || listed().MatchString(words))
}

// Finding is a text of the agent that is a finding, or may be one.
type Finding struct {
	Words  string
	At     int  // number of tool calls from the prompt to it
	Spoken bool // to the person; false for reasoning

	weight int // of evidence; 0 before it is needed
}

// AddFinding adds a text of the agent to the findings of a turn if it is one. They are sorted by age, oldest first. Of more than
// maxFindings it drops the one with the least evidence, but neither the first, which often answers the request, nor one of the
// newest. It does not change findings.
func AddFinding(findings []Finding, f Finding) []Finding {
	if !IsFinding(f.Words) {
		return findings
	}
	findings = append(slices.Clip(findings), f)
	if len(findings) <= maxFindings {
		return findings
	}
	return withoutWeakest(findings, 1, len(findings)-newestFindings)
}

// Strongest returns the findings with the most evidence, at most that many, in their order. It changes findings.
func Strongest(findings []Finding, most int) []Finding {
	for len(findings) > most {
		findings = withoutWeakest(findings, 0, len(findings))
	}
	return findings
}

// withoutWeakest deletes the finding with the least evidence, of several the oldest, from those between two indexes.
func withoutWeakest(findings []Finding, from, to int) []Finding {
	least := from
	for i := from; i < to; i++ {
		if findings[i].weight == 0 {
			findings[i].weight = evidence(findings[i])
		}
		if findings[i].weight < findings[least].weight {
			least = i
		}
	}
	return slices.Delete(findings, least, least+1)
}

// namePattern matches the name of a thing: code, a path, a place in a file, a hash.
var namePattern = text.Pattern("`[^`\n]+`|\\w[\\w-]*[./][\\w./-]*\\w(?::\\d+)?|\\b[0-9a-f]{7,40}\\b")

// Bounds of evidence.
const (
	maxEvidence  = 2000 // bytes of a text, from its beginning
	maxNames     = 6    // distinct names that count
	wordWeight   = 2    // weight of a word that marks a finding, in names
	spokenWeight = 3    // weight of words to the person, in names
)

// evidence returns how much a finding says, at least 1: by its names, its words that mark a finding, and whether the person
// reads it.
func evidence(f Finding) int {
	words, names, spoken := f.Words[:min(len(f.Words), maxEvidence)], map[string]bool{}, 0
	for _, name := range namePattern().FindAllString(words, 4*maxNames) {
		names[name] = true
	}
	if f.Spoken {
		spoken = spokenWeight
	}
	return 1 + min(len(names), maxNames) + wordWeight*len(findingWords().FindAllStringIndex(words, maxNames)) + spoken
}

// Headless reports whether a program, and not a person, started a client. entry is the client's name for its starter: the entry
// point of Claude Code, the source or originator of Codex, the command of OpenCode, the mode of pi.
func Headless(entry string) bool {
	switch entry {
	case "exec", "codex_exec", "mcp", "run", "print", "json", "claude-code-github-action":
		return true
	}
	return strings.HasPrefix(entry, "sdk-") || strings.HasPrefix(entry, "codex_sdk")
}

// ByMachine reports whether a prompt begins like one that no person wrote.
func ByMachine(prompt string) bool {
	begin := strings.TrimSpace(prompt)
	marked := func(mark string) bool { return strings.HasPrefix(begin, mark) }
	// Callers pass the result of Words. It begins with an aside only if no words of a person follow the aside.
	aside := func(name string) bool { return marked("<" + name + ">") }
	return slices.ContainsFunc(machinePrompts, marked) || slices.ContainsFunc(Asides, aside) || stoppedAgents(begin) || ofAutomation(begin)
}

// ofAutomation reports whether a prompt begins like that of an automation of Codex: with lines about the automation.
func ofAutomation(prompt string) bool {
	name, rest, _ := strings.Cut(prompt, "\n")
	return strings.HasPrefix(name, "Automation: ") && strings.HasPrefix(rest, "Automation ID: ")
}

// stoppedAgents reports whether a prompt begins like a client's message "2 background agents were stopped by the user: …".
func stoppedAgents(prompt string) bool {
	count, rest, _ := strings.Cut(prompt, " ")
	digits := strings.Trim(count, "0123456789") == "" && count != ""
	return digits && (strings.HasPrefix(rest, "background agents were stopped by the user:") || strings.HasPrefix(rest, "background agent was stopped by the user:"))
}

// aroundUnits bounds the kept part of the texts around a person's words, in UTF-16 units.
const aroundUnits = 2000

// Prompt takes the prompt in the member called name. It returns the person's words, and the texts around them as AroundMember does.
func (p *Payload) Prompt(name string) (words string, rest []Member) {
	words, around := Words(p.Text(name))
	return words, AroundMember(around)
}

// AroundMember returns the texts around a person's words, cut to aroundUnits, as a member for the payload's rest. It returns nil for "".
func AroundMember(around string) []Member {
	if around == "" {
		return nil
	}
	value, _ := json.Marshal(text.CutUnits(around, aroundUnits)) // strings always encode
	return []Member{{"around_prompt", value}}
}
