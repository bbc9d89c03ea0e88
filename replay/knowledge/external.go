package knowledge

import (
	"slices"
	"strings"

	"journal/events/shell"
	"journal/events/text"
	"journal/projections"
)

// External is a command since the request that changed something outside this machine, such as a push, a comment or a
// release. Running it again would do that twice.
const External Kind = "external"

var _ = declare(Def{
	Kind: External, Needs: []projections.Projection{projections.Commands, projections.Prompts, projections.LastCall},
	Items: func(f *projections.Fold) (items []Item) {
		request, _ := projections.Prompts.In(f).Request()
		last := projections.LastCall.In(f).Seq // the newest call is an item of its own
		for c := range projections.Commands.In(f).Backward() {
			if c.Seq < request.Seq {
				break
			}
			if c.OK && c.Seq != last && externals.get(c.Command) {
				items = append(items, Item{Kind: External, Seq: c.Seq, Text: text.Line(c.Command)})
			}
		}
		return items
	},
	Text: Text{Form: Code, Units: 120, Cap: 160, Most: 20, Tiers: Tiers{Best: Likely, First: 8, Second: 12}, Unasked: true},
})

// externals caches whether a shell command changes something outside this machine.
var externals = cache[bool]{compute: func(command string) bool {
	if !externalPrograms().MatchString(command) {
		return false // parsing a command takes longer than all else
	}
	return slices.ContainsFunc(shell.Commands(command), isExternal)
}}

var externalPrograms = text.Pattern(`\b(?:git|gh|glab|npm|pnpm|yarn|cargo|gem|twine|docker|podman|kubectl|helm|terraform|curl)\b`)

// externalActions lists by program the words that make a call of it external.
var externalActions = map[string][]string{
	"git": {"push"}, "npm": {"publish"}, "pnpm": {"publish"}, "yarn": {"publish"}, "cargo": {"publish", "yank"}, "gem": {"push"},
	"twine": {"upload"}, "docker": {"push"}, "podman": {"push"}, "terraform": {"apply", "destroy"},
	"helm":    {"install", "upgrade", "uninstall", "rollback"},
	"kubectl": {"apply", "create", "delete", "patch", "replace", "scale", "rollout"},
}

// forgeActions lists the external actions of gh and glab, which follow their object: gh pr comment.
var forgeActions = []string{
	"create", "comment", "note", "edit", "update", "close", "reopen", "merge", "ready", "review", "approve", "delete", "upload", "rerun", "run", "cancel",
	"lock", "unlock", "transfer", "fork", "archive", "rename", "set", "enable", "disable",
}

// local matches an address of this machine.
var local = text.Pattern(`^(?:https?://)?(?:localhost|127\.0\.0\.1|\[::1\]|0\.0\.0\.0)(?:[:/]|$)`)

// sending lists the options by which curl sends something.
var sending = []string{"-d", "--data", "--data-raw", "--data-binary", "--data-urlencode", "--json", "-F", "--form", "-T", "--upload-file"}

// isExternal reports whether the words of a command change something outside this machine.
func isExternal(words []string) bool {
	words = unwrapped(shell.Plain(words))
	if len(words) < 2 {
		return false
	}
	args := words[1:]
	for len(args) > 2 && (args[0] == "-C" || args[0] == "-c" || args[0] == "-R") {
		args = args[2:]
	}
	switch program := program(words[0]); {
	case slices.Contains(args, "--dry-run"), slices.Contains(args, "--help"):
		return false
	case program == "curl":
		return !slices.ContainsFunc(args, local().MatchString) && slices.ContainsFunc(args, func(w string) bool {
			name, _, _ := strings.Cut(w, "=")
			return slices.Contains(sending, name) || slices.Contains([]string{"POST", "PUT", "PATCH", "DELETE"}, strings.TrimPrefix(w, "-X"))
		})
	case (program == "gh" || program == "glab") && args[0] == "api":
		isGraphQuery := func(w string) bool { return strings.Contains(w, "query=") && !strings.Contains(w, "mutation") }
		return !isQuery(words) && !slices.ContainsFunc(args, isGraphQuery)
	case program == "gh" || program == "glab":
		return len(args) > 1 && slices.Contains(forgeActions, args[1])
	default:
		return slices.Contains(externalActions[program], args[0])
	}
}
