package claude

import (
	_ "embed"
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"journal/journal/agents/install"
)

// skill tells the client that the journal exists and what to use it for: without it
// nobody records decisions.
//
//go:embed skill.md
var skill string

var _ = install.Declare(install.Agent{
	Name:          Name,
	Dir:           dir,
	DetectVersion: install.AskVersion("claude"),
	Settings: &install.Settings{
		File: "settings.json",
		// Seconds. It also lengthens the 1.5 s that all hooks of SessionEnd
		// otherwise get together.
		Timeout:    10,
		StatusLine: true,
		Events:     eventsFor,
		Warning:    warning,
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

// dir is the directory of the person or of the project. CLAUDE_CONFIG_DIR moves the
// person's.
func dir(at install.Location) string {
	if at.Scope == install.Project {
		return filepath.Join(at.Project, ".claude")
	}
	if dir := at.Getenv("CLAUDE_CONFIG_DIR"); dir != "" {
		return dir
	}
	return filepath.Join(at.Home, ".claude")
}

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

// condition says when an event is installed on a client that knows it.
type condition int

const (
	byDefault condition = iota
	onOld               // by default on old clients, on newer ones on request
	onRequest           // with Options.All
	never
)

// tolerant is the first release of Claude Code that ignores an event name it
// does not know. Up to 2.1.100 one such name switches off all hooks of the
// file, silently.
var tolerant = install.Version{2, 1, 101}

// clientEvents has every event of Claude Code 2.1.329 with the first release that
// surely knows it. The nine without a release are known to all clients observed,
// from 1.0.128 on. Where no release is on record the event counts as known from
// tolerant on, since from there a mistake costs nothing.
//
// On old clients the nine include PreToolUse: they have no event for a call that
// failed (seen in 1.0.128, 2.0.14 and 2.1.0), so that only the open PreToolUse shows
// it. Newer ones have PostToolUseFailure, and PreToolUse would cost 25–45 ms of
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
	{"TaskCreated", tolerant, onRequest}, // PostToolUse tells of it
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
	// A hook here is asked to make the worktree and print its path; one that
	// only listens would break their creation, and so their removal.
	{"WorktreeCreate", tolerant, never},
	{"WorktreeRemove", tolerant, never},
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

// rules spells what the client may run without asking: each verb with whatever follows
// it, by the path as texts name it, because the client compares the words of a command
// line. Clients that may not know skills get no rule for one: a rule that they do not
// know can cost them the file.
func rules(clientVersion, command string, verbs []string) []string {
	var all []string
	if v, ok := install.ParseVersion(clientVersion); ok && !v.Less(tolerant) {
		all = append(all, skillRule)
	}
	for _, verb := range verbs {
		all = append(all, "Bash("+command+" "+verb+":*)")
	}
	return all
}

// isRule implements install.Settings.
func isRule(rule string, ours func(command string) bool) bool {
	command, ok := ruledCommand(rule)
	return rule == skillRule || ok && ours(command)
}

// sameRule implements install.Settings.
func sameRule(a, b string) bool {
	x, ok := ruledCommand(a)
	y, also := ruledCommand(b)
	return ok && also && x[strings.LastIndexByte(x, ' ')+1:] == y[strings.LastIndexByte(y, ' ')+1:]
}

// ruledCommand gives what command lines begin with that a rule allows.
func ruledCommand(rule string) (command string, ok bool) {
	rule, ok = strings.CutPrefix(rule, "Bash(")
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rule, ":*)")
}

// granted spells what the skill lets the client run while it is at work: nothing that the person did not grant.
func granted(rules []string) string {
	rules = slices.DeleteFunc(slices.Clone(rules), func(rule string) bool { return rule == skillRule })
	if len(rules) == 0 {
		return ""
	}
	return "allowed-tools: " + strings.Join(rules, ", ") + "\n"
}

// warning implements install.Settings: the client shows the person what hooks of a start
// say so, and puts nothing of it before the model.
func warning(event, text string) string {
	if event != "SessionStart" {
		return ""
	}
	said, err := json.Marshal(map[string]string{"systemMessage": text})
	if err != nil {
		panic(err) // a text always encodes
	}
	return string(said)
}
