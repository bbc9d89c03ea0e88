// Package agent has the verbs that connect agents: hooks, the statusline, MCP, and their installation.
package agent

import (
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal/agents"
	"journal/journal/hookrun"
)

// Each verb here is registered twice: the QuietVerb runs, and the command has the help.

var _ = cli.Verb(cli.Installing, func(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "hook AGENT [EVENT]",
		Short: "what an agent's hook calls: JSON in, an answer out",
		Long: `Reads the JSON of an agent's hook on stdin, records it, and prints an answer in the agent's
own form, or nothing. The agents are ` + strings.Join(agents.Agents(), ", ") + `. Errors go to journal.log.

Exit codes: always 0.`,
		Run: func(_ *cobra.Command, args []string) { hookrun.Hook(a.HookEnv(), args) },
	}
})

var _ = cli.QuietVerb("hook", func(e hookrun.Env, args []string) int {
	hookrun.Hook(e, args)
	return cli.ExitOK
})

var _ = cli.Verb(cli.Installing, func(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:   "statusline [-- COMMAND...]",
		Short: "record context usage, then run COMMAND and print its output",
		Long: `Reads the input of the agent's statusline on stdin, records how full the context is if
that changed, and prints what COMMAND prints for the same input; without COMMAND, it prints a
line of its own. It starts no owner.

Exit codes: that of COMMAND, else 0.`,
		Run: func(_ *cobra.Command, args []string) { hookrun.Statusline(a.HookEnv(), args) },
	}
})

var _ = cli.QuietVerb("statusline", hookrun.Statusline)
