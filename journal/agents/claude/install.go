package claude

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"journal/journal/agents/install"
)

// skill is the text that describes journal to the model. Without it the model records no decisions.
//
//go:embed skill.md
var skill string

var _ = install.Declare(install.Agent{
	Name:          Name,
	Dir:           install.Folder(".claude", "CLAUDE_CONFIG_DIR"),
	DetectVersion: install.AskVersion("claude"),
	Settings: &install.Settings{
		File: "settings.json",
		// In seconds. It also replaces the client's default limit of 1.5 s for all hooks of SessionEnd together.
		Timeout:    10,
		StatusLine: true,
		Events:     eventsFor,
		Warning:    warning,
		Shown:      []string{"PreCompact", "PostCompact"},
		Allow:      []string{"permissions", "allow"},
		Rules:      rules,
		IsRule:     isRule,
		SameRule:   sameRule,
		Plugins:    "enabledPlugins",
		Off:        []string{"disableAllHooks"},
		Policy:     policy(),
		PolicyOff:  []string{"disableAllHooks", "allowManagedHooksOnly"},
	},
	Files: []install.File{{
		Path: "skills/journal/SKILL.md", Text: skill, Granted: granted, Comment: [2]string{"<!-- ", " -->"}, Skill: true,
	}},
})

// policy returns the path of the administrator's settings on this system.
func policy() string {
	switch runtime.GOOS {
	case "darwin":
		return "/Library/Application Support/ClaudeCode/managed-settings.json"
	case "windows":
		return `C:\Program Files\ClaudeCode\managed-settings.json`
	default:
		return "/etc/claude-code/managed-settings.json"
	}
}

// condition is the condition under which an event is installed on a client that knows it.
type condition int

const (
	byDefault condition = iota
	onOld               // by default on clients before tolerant, with Options.All on newer ones
	onRequest           // with Options.All
	never
)

// tolerant is the first release of Claude Code that ignores the name of an unknown event in its settings. In releases up to
// 2.1.100 one such name silently disables all hooks of the file.
var tolerant = install.Version{2, 1, 101}

// clientEvents lists every event of Claude Code 2.1.332 with the first release that certainly knows it. An event with the zero release
// is known to all observed clients, from 1.0.128 on. An event whose first release is unknown has tolerant: from there on a mistake costs
// nothing.
//
// Old clients have no event for a failed call (seen in 1.0.128, 2.0.14 and 2.1.0): only a PreToolUse without a PostToolUse shows the
// failure. Newer ones have PostToolUseFailure, and PreToolUse would only cost 25–45 ms of the client's time per call.
var clientEvents = []struct {
	name  string
	since install.Version
	use   condition
}{
	{"SessionStart", install.Version{}, byDefault},
	{"UserPromptSubmit", install.Version{}, byDefault},
	{"PreToolUse", install.Version{}, onOld},
	{"PostToolUse", install.Version{}, byDefault},
	{"PostToolUseFailure", tolerant, byDefault},
	{"PreCompact", install.Version{}, byDefault},
	{"PostCompact", install.Version{2, 1, 76}, byDefault},
	{"Notification", install.Version{}, onOld},
	{"Stop", install.Version{}, byDefault},
	{"StopFailure", tolerant, byDefault},
	{"SubagentStart", tolerant, byDefault},
	{"SubagentStop", install.Version{}, byDefault},
	{"TaskCreated", tolerant, onRequest}, // PostToolUse reports it
	{"TaskCompleted", tolerant, byDefault},
	{"SessionEnd", install.Version{}, byDefault},

	{"PostToolBatch", tolerant, onRequest},
	{"UserPromptExpansion", tolerant, onRequest},
	{"PreModelSwitch", install.Version{2, 1, 251}, onRequest},
	{"PostModelSwitch", install.Version{2, 1, 251}, onRequest},
	{"PermissionRequest", tolerant, onRequest},
	{"PermissionDenied", tolerant, onRequest},
	{"Setup", tolerant, onRequest},
	{"TeammateIdle", tolerant, onRequest},
	{"Elicitation", tolerant, onRequest},
	{"ElicitationResult", tolerant, onRequest},
	{"ConfigChange", tolerant, onRequest},
	{"InstructionsLoaded", install.Version{2, 1, 69}, onRequest}, // an unknown 2.1.6x, so 2.1.69 at the latest
	{"CwdChanged", tolerant, onRequest},
	{"DirectoryAdded", install.Version{2, 1, 219}, onRequest},

	// The client calls these for each piece of shown text, or each changed file.
	{"MessageDisplay", tolerant, never},
	{"FileChanged", tolerant, never},
	// The client expects the hook of WorktreeCreate to create the worktree and to print its path. WorktreeRemove is its counterpart.
	{"WorktreeCreate", tolerant, never},
	{"WorktreeRemove", tolerant, never},
	// If this hook fails or does not answer, the client does not run the skill's command.
	{"PreSkillShellCommand", install.Version{2, 1, 332}, never},
}

// eventsFor implements install.Settings.Events.
func eventsFor(clientVersion string, all bool) (events, notes []string) {
	v, known := install.ParseVersion(clientVersion)
	old := v.Less(tolerant)
	for _, e := range clientEvents {
		if v.Less(e.since) || e.use == never {
			continue
		}
		if e.use == byDefault || all || (e.use == onOld && old) {
			events = append(events, e.name)
		}
	}
	const why = "clients before %s switch all hooks of a file off when it names one event they do not know; %s"
	switch {
	case !known:
		notes = append(notes, fmt.Sprintf("the version of Claude Code could not be found out, so only the %d events that every version knows are installed: "+why,
			len(events), tolerant, "put claude on PATH, see that `claude --version` answers, and run `journal install` again"))
	case old:
		notes = append(notes, fmt.Sprintf("Claude Code %s is old, so only %d events are installed: "+why,
			v, len(events), tolerant, "run `claude update`, then `journal install` again"))
	}
	return events, notes
}

// skillRule is the rule that lets the client load the skill without asking.
const skillRule = "Skill(journal)"

// rules implements install.Settings.Rules: the client may run each verb with any arguments. The client compares the text of a command
// line with the rule, so command must be spelled as in our texts. A client that may not know skills gets no rule for ours, because an
// unknown rule can make it ignore the file.
func rules(clientVersion, command string, verbs []string) []string {
	return rulesOn(runtime.GOOS, clientVersion, command, verbs)
}

// rulesOn is rules on a system, a value of runtime.GOOS.
func rulesOn(system, clientVersion, command string, verbs []string) (all []string) {
	shells := []string{"Bash(" + command}
	if v, ok := install.ParseVersion(clientVersion); ok && !v.Less(tolerant) {
		all = append(all, skillRule)
		if system == "windows" {
			shells = append(shells, "PowerShell("+regexp.MustCompile("^'").ReplaceAllString(command, "& '"))
		}
	}
	for _, shell := range shells {
		for _, verb := range verbs {
			all = append(all, shell+" "+verb+":*)")
		}
	}
	return all
}

// commandRule matches a rule for a command. Its groups are the shell, and the beginning of the command lines that the rule allows. In
// PowerShell, & calls a quoted path.
var commandRule = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(Bash|PowerShell)\((?:& )?(.*):\*\)$`) })

// isRule implements install.Settings.IsRule.
func isRule(rule string, ours func(command string) bool) bool {
	m := commandRule().FindStringSubmatch(rule)
	return rule == skillRule || m != nil && ours(m[2])
}

// sameRule implements install.Settings.SameRule.
func sameRule(a, b string) bool {
	x, y := commandRule().FindStringSubmatch(a), commandRule().FindStringSubmatch(b)
	verbOf := func(rule []string) string { return rule[2][strings.LastIndexByte(rule[2], ' ')+1:] }
	return x != nil && y != nil && x[1] == y[1] && verbOf(x) == verbOf(y)
}

// granted implements install.File.Granted: the line of the skill with the commands that the client may run while the skill is active.
func granted(rules []string) string {
	rules = slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return rule == skillRule })
	if len(rules) == 0 {
		return ""
	}
	return "allowed-tools: " + strings.Join(rules, ", ") + "\n"
}

// warning implements install.Settings.Warning: the client shows the systemMessage of a SessionStart hook to the person only.
func warning(event, text string) string {
	if event != "SessionStart" {
		return ""
	}
	message, _ := json.Marshal(map[string]string{"systemMessage": text}) // strings always encode
	return string(message)
}
