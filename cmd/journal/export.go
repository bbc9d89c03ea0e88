package main

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/events/cloudevents"
	"journal/journal"
)

// exportFormats makes of an event what a line of each format holds.
var exportFormats = map[string]func(events.Export) any{
	"jsonl":       func(x events.Export) any { return x },
	"cloudevents": func(x events.Export) any { return cloudevents.Of(x.View) },
}

var _ = verb(func(a *app) *cobra.Command {
	var session, typ, format string
	formats := strings.Join(slices.Sorted(maps.Keys(exportFormats)), ", ")
	c := &cobra.Command{
		Use:     "export",
		GroupID: caring,
		Short:   "the log for other programs: JSON Lines or CloudEvents",
		Long: `Writes the events of the log to stdout, one JSON object per line, oldest first, second
reports of one fact with their mark: as journal log --json does, with the rest of their
envelopes (jsonl), or as CloudEvents 1.0 in their JSON format (cloudevents). Of the whole log
in jsonl, journal restore-backup makes the same log elsewhere. What no copy has is left out, and
named in the end.

Exit codes: 0; 1 failure; 2 usage; 3 events are missing that no copy has.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			line, ok := exportFormats[format]
			if !ok {
				return usage(c, fmt.Errorf("format %q is none of: %s", format, formats))
			}
			if typ != "" && !declaredType(events.Type(typ)) {
				return usage(c, unknownType(typ))
			}
			return a.reading(c.Context(), func(log *journal.Log) error {
				sel, err := selectors(c.Context(), a, log, selection{session: session, typ: typ})
				if err != nil {
					return err
				}
				out := bufio.NewWriter(verbatim(a.out))
				enc := a.encoderTo(out)
				for e, err := range log.Events(c.Context(), events.Span{}, sel...) {
					if err != nil {
						return errors.Join(damaged(err), out.Flush())
					}
					x, err := events.ExportOf(e)
					if err == nil {
						err = enc.Encode(line(x))
					}
					if err != nil {
						return errors.Join(err, out.Flush())
					}
				}
				return out.Flush()
			})
		},
	}
	c.Flags().StringVar(&session, "session", "", "only this session (id or unique prefix)")
	c.Flags().StringVar(&typ, "type", "", "only this type")
	c.Flags().StringVar(&format, "format", "jsonl", formats)
	teamFlag(a, c)
	return c
})
