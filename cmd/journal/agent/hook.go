// Package agent has the verbs that connect agents: hooks, the statusline, MCP, and their installation.
package agent

import (
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal/agents"
	"journal/journal/hookrun"
)

var _ = cli.Verb(cli.Installing, func(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT [EVENT]",
		Short: "take one hook of an agent: JSON in, its answer out",
		Long: `Takes one hook of an agent (` + strings.Join(agents.Agents(), ", ") + `): its JSON on stdin, and on stdout the
answer in the agent's own form, or nothing. Errors go to the log file.

Exit codes: always 0.`,
		Run: func(_ *cobra.Command, args []string) { hookrun.Hook(a.HookEnv(), args) },
	}
})

var _ = cli.QuietVerb("hook", hookrun.Hook)

var _ = cli.Verb(cli.Installing, func(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "statusline [-- COMMAND...]",
		Short: "record context usage, then run COMMAND and print its output",
		Long: `Takes the input of the agent's statusline on stdin, records how full the context is if
that changed, and prints what COMMAND prints for the same input; without COMMAND, a line
of its own. It starts no owner.

Exit codes: always 0.`,
		Run: func(_ *cobra.Command, args []string) { hookrun.Statusline(a.HookEnv(), args) },
	}
})

var _ = cli.QuietVerb("statusline", hookrun.Statusline)
