package main

import (
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
