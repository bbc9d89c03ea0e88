package main

import (
	"strings"

	"github.com/spf13/cobra"

	"journal/events"
)

var _ = verb(func(a *app) *cobra.Command {
	return a.recordVerb("decide TEXT", "record a decision", `Records a decision of the session. It ranks before those that are read out of the model's prose, and comes back
to the agent after a compaction.`, func(text string) events.Event { return events.DecisionRecorded{Text: text} })
})

var _ = verb(func(a *app) *cobra.Command {
	return a.recordVerb("checkpoint TEXT", "record a checkpoint with a summary", `Records a checkpoint: a point of the log with a summary, beside the automatic ones. What stood
there is shown by journal replay --seq.`, func(text string) events.Event { return events.CheckpointRecorded{Summary: text} })
})

// recordVerb makes a verb that records one text.
func (a *app) recordVerb(use, short, long string, event func(string) events.Event) *cobra.Command {
	var t targetFlags
	c := &cobra.Command{
		Use:   use,
		Short: short,
		Long:  long + "\n\nExit codes: 0 durable, 1 refused or not durable, 2 usage.",
		Args:  args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			text := strings.TrimSpace(strings.Join(args, " "))
			if text == "" {
				return usage(c, errEmptyText)
			}
			return a.record(c, t, event(text))
		},
	}
	t.add(c)
	a.jsonFlag(c)
	return c
}
