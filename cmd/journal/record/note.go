package record

import (
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
)

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	var heading string
	c := cli.RecordVerb(a, "note TEXT", "record a working note", `Records a working note: an entry like those of progress.md. It waits to be promoted and is
given back to the agent after a compaction.`, func(text string) events.Event {
		return events.NoteRecorded{Text: text, Heading: strings.TrimSpace(heading)}
	})
	c.Flags().StringVar(&heading, "heading", "", "what it is about")
	return c
})

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	return cli.RecordVerb(a, "checkpoint TEXT", "record a checkpoint with a summary", `Records a checkpoint: a point of the log with a summary, besides the automatic ones. journal
replay --seq shows the state there.`, func(text string) events.Event { return events.CheckpointRecorded{Summary: text} })
})
