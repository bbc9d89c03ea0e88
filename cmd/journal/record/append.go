// Package record has the verbs that record: events, decisions, notes, checkpoints, phases, ports and compounds; and the verb for
// the marker files of older tools.
package record

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
)

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	var t cli.TargetFlags
	var data string
	c := cli.NewCommand("append TYPE", "record one event of any type",
		`Appends one event. Its type and fields are checked against the declaration (journal events). When it
exits with 0 the event is durable: in the log, or in the spool, from where the owner moves it into the log.

  journal append decision.recorded --data '{"text":"keep it small"}'

Exit codes: 0 durable, 1 refused or not durable, 2 usage.`,
		func(c *cobra.Command, args []string) error {
			raw := []byte(data)
			if data == "-" {
				var err error
				if raw, err = a.ReadInput(c.Context(), "-", events.MaxBytes); err != nil {
					return err
				}
			}
			if err := cli.CheckType(args[0]); err != nil {
				return cli.WithHint(err, "journal events")
			}
			if !json.Valid(raw) {
				return cli.WithHint(errors.New("--data is not JSON"), "journal events, which lists the fields")
			}
			e, err := events.FromJSON(events.Type(args[0]), raw)
			if err != nil {
				return cli.WithHint(err, "journal events")
			}
			receipt, err := a.Appender().Append(c.Context(), a.About(t), e)
			if err != nil {
				return cli.NotRecorded(err)
			}
			return a.PrintReceipt(cli.Receipt{Receipt: receipt})
		})
	t.Add(c)
	c.Flags().StringVar(&data, "data", "", "the event's fields as JSON, - reads stdin")
	return a.JSONFlag(c)
})

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	var heading string
	c := cli.RecordVerb(a, "note TEXT", "record a working note", `Records a working note: an entry like those of progress.md. It waits to be promoted and is
restored after a compaction.`, func(text string) events.Event {
		return events.NoteRecorded{Text: text, Heading: strings.TrimSpace(heading)}
	})
	c.Flags().StringVar(&heading, "heading", "", "what it is about")
	return c
})

var _ = cli.Verb(cli.Recording, func(a *cli.App) *cobra.Command {
	return cli.RecordVerb(a, "checkpoint TEXT", "record a checkpoint with a summary", `Records a checkpoint: a point of the log with a summary, besides the automatic ones. journal
replay --seq shows the state there.`, func(text string) events.Event { return events.CheckpointRecorded{Summary: text} })
})
