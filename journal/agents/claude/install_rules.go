package claude

import (
	"encoding/json"
	"slices"
	"strings"

	"journal/journal/agents/install"
)

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
