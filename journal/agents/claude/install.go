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

// skill tells the client about the journal and its use: without it no agent records decisions.
//
//go:embed skill.md
var skill string

var _ = install.Declare(install.Agent{
	Name:          Name,
	Dir:           install.Folder(".claude", "CLAUDE_CONFIG_DIR"),
	DetectVersion: install.AskVersion("claude"),
	Settings: &install.Settings{
		File: "settings.json",
		// In seconds. It also extends the 1.5 s that all hooks of SessionEnd otherwise share.
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

// condition decides whether to install an event on a client that knows it.
type condition int

const (
	byDefault condition = iota
	onOld               // by default on old clients, on request on newer ones
	onRequest           // with Options.All
	never
)

// tolerant is the first release of Claude Code that ignores an unknown event name. Up to 2.1.100 one such name silently
// disables all hooks of the file.
var tolerant = install.Version{2, 1, 101}

// clientEvents lists every event of Claude Code 2.1.332 with the first release that certainly knows it. The nine
// without a release are known to all observed clients, from 1.0.128 on. An event whose release is not on record counts
// as known from tolerant on, where a mistake costs nothing.
//
// On old clients the nine include PreToolUse: they have no event for a failed call (seen in 1.0.128, 2.0.14 and 2.1.0),
// so only the open PreToolUse shows it. Newer ones have PostToolUseFailure; there PreToolUse would cost 25–45 ms of
// client time per call for nothing.
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
	{"InstructionsLoaded", install.Version{2, 1, 69}, onRequest}, // some 2.1.6x, so 2.1.69 at the latest
	{"CwdChanged", tolerant, onRequest},
	{"DirectoryAdded", install.Version{2, 1, 219}, onRequest},

	// One call per piece of text shown, or per file touched.
	{"MessageDisplay", tolerant, never},
	{"FileChanged", tolerant, never},
	// The client asks this hook to create the worktree and print its path; a hook that only listens would break the
	// creation, and so the removal.
	{"WorktreeCreate", tolerant, never},
	{"WorktreeRemove", tolerant, never},
	// A hook that fails or does not answer keeps the skill's command from running.
	{"PreSkillShellCommand", install.Version{2, 1, 332}, never},
}

// eventsFor implements install.Settings.
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

// skillRule lets the client load the skill.
const skillRule = "Skill(journal)"

// rules returns what the client may run without asking: each verb with any arguments, by the path that texts use,
// because the client compares the words of a command line. Clients that may not know skills get no rule for one: an
// unknown rule can make them ignore the file.
func rules(clientVersion, command string, verbs []string) []string {
	return rulesOn(runtime.GOOS, clientVersion, command, verbs)
}

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

// ruled matches a rule for a command: its shell, and the beginning of the command lines that it allows. PowerShell calls
// a quoted path by &.
var ruled = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(Bash|PowerShell)\((?:& )?(.*):\*\)$`) })

// isRule implements install.Settings.
func isRule(rule string, ours func(command string) bool) bool {
	m := ruled().FindStringSubmatch(rule)
	return rule == skillRule || m != nil && ours(m[2])
}

// sameRule implements install.Settings.
func sameRule(a, b string) bool {
	x, y := ruled().FindStringSubmatch(a), ruled().FindStringSubmatch(b)
	return x != nil && y != nil && x[1] == y[1] && x[2][strings.LastIndexByte(x[2], ' ')+1:] == y[2][strings.LastIndexByte(y[2], ' ')+1:]
}

// granted returns what the skill lets the client run: nothing that the person did not grant.
func granted(rules []string) string {
	rules = slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return rule == skillRule })
	if len(rules) == 0 {
		return ""
	}
	return "allowed-tools: " + strings.Join(rules, ", ") + "\n"
}

// warning implements install.Settings: the client shows a start hook's systemMessage to the person, and not to the
// model.
func warning(event, text string) string {
	if event != "SessionStart" {
		return ""
	}
	message, err := json.Marshal(map[string]string{"systemMessage": text})
	if err != nil {
		panic(err) // a text always encodes
	}
	return string(message)
}
