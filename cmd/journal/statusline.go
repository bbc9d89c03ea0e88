package main

import (
	"github.com/spf13/cobra"

	"journal/journal/hookrun"
)

var _ = verb(func(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "statusline [-- COMMAND...]",
		GroupID: installing,
		Short:   "record how full the context is, print what COMMAND prints",
		Long: `Takes the input of the agent's statusline on stdin, records how full the context is when
that changed, and prints what COMMAND prints for the same input; without a COMMAND, a line
of its own. It starts no owner.

Exit codes: always 0.`,
		Run: func(_ *cobra.Command, args []string) { hookrun.Statusline(a.agentCall(), args) },
	}
})

var _ = quietVerb("statusline", hookrun.Statusline)
