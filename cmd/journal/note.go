package main

import (
	"strings"

	"github.com/spf13/cobra"

	"journal/events"
)

var _ = verb(func(a *app) *cobra.Command {
	var t targetFlags
	var heading string
	c := &cobra.Command{
		Use:   "note TEXT",
		Short: "record a working note",
		Long: `Records a working note: an entry beside those of progress.md, which waits to be promoted and
comes back to the agent after a compaction.

Exit codes: 0 durable, 1 refused or not durable, 2 usage.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			text := strings.TrimSpace(strings.Join(args, " "))
			if text == "" {
				return usage(c, errEmptyText)
			}
			return a.record(c, t, events.NoteRecorded{Text: text, Heading: strings.TrimSpace(heading)})
		},
	}
	t.add(c)
	c.Flags().StringVar(&heading, "heading", "", "what it is about")
	a.jsonFlag(c)
	return c
})
