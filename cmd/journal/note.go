package main

import (
	"strings"

	"github.com/spf13/cobra"

	"journal/events"
)

var _ = verb(func(a *app) *cobra.Command {
	var heading string
	c := recordVerb(a, "note TEXT", "record a working note", `Records a working note: an entry beside those of progress.md, which waits to be promoted and
comes back to the agent after a compaction.`, func(text string) events.Event {
		return events.NoteRecorded{Text: text, Heading: strings.TrimSpace(heading)}
	})
	c.Flags().StringVar(&heading, "heading", "", "what it is about")
	return c
})
