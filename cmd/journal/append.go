package main

import (
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"journal/events"
)

var _ = verb(func(a *app) *cobra.Command {
	var t targetFlags
	var data string
	c := &cobra.Command{
		Use:     "append TYPE",
		GroupID: recording,
		Short:   "append one typed event",
		Long: `Appends one event. Its fields are checked against the declaration (journal events);
unknown types and ill-typed fields are refused with the reason. When it exits with 0
the event is durable: in the log, or in the spool that the log's owner drains.

  journal append decision.recorded --data '{"text":"keep it small"}'

Exit codes: 0 durable, 1 refused or not durable, 2 usage.`,
		Args: args(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			raw := []byte(data)
			if data == "-" {
				var err error
				if raw, err = a.readGiven(c.Context(), "-", events.MaxBytes); err != nil {
					return err
				}
			}
			if !declaredType(events.Type(args[0])) {
				return withHint(unknownType(args[0]), "journal events")
			}
			if !json.Valid(raw) {
				return withHint(errors.New("--data is no JSON"), "journal events, which lists the fields")
			}
			e, err := events.FromJSON(events.Type(args[0]), raw)
			if err != nil {
				return withHint(err, "journal events")
			}
			receipt, err := a.appender().Append(c.Context(), a.about(t), e)
			if err != nil {
				return notRecorded(err)
			}
			return a.printReceipt(receipt)
		},
	}
	t.add(c)
	c.Flags().StringVar(&data, "data", "", "the event's fields as JSON, - reads stdin")
	a.jsonFlag(c)
	return c
})
