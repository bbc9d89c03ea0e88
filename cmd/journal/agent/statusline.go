package agent

import (
	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal/hookrun"
)

var _ = cli.Verb(func(a *cli.App) *cobra.Command {
	return &cobra.Command{
		Use:     "statusline [-- COMMAND...]",
		GroupID: cli.Installing,
		Short:   "record how full the context is, print what COMMAND prints",
		Long: `Takes the input of the agent's statusline on stdin, records how full the context is when
that changed, and prints what COMMAND prints for the same input; without a COMMAND, a line
of its own. It starts no owner.

Exit codes: always 0.`,
		Run: func(_ *cobra.Command, args []string) { hookrun.Statusline(a.AgentCall(), args) },
	}
})

var _ = cli.QuietVerb("statusline", hookrun.Statusline)
