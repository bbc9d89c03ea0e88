package care

import (
	"bufio"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
)

// exportFormats turns an event into a line of each format.
var exportFormats = map[string]func(events.Export) any{
	"jsonl":       func(x events.Export) any { return x },
	"cloudevents": func(x events.Export) any { return cloudEventOf(x.View) },
}

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var session, typ, format string
	formats := strings.Join(slices.Sorted(maps.Keys(exportFormats)), ", ")
	c := cli.NewCommand("export", "the log for other programs: JSON Lines or CloudEvents",
		`Writes the events of the log to stdout, one JSON object per line, oldest first: as
journal log --json does, with the rest of their envelopes (jsonl), or as CloudEvents 1.0 in JSON
(cloudevents). Second reports of one fact are included and marked. journal restore-backup restores
the log from a full export in jsonl. Events that no copy has are left out, and named at the end.

Exit codes: 0; 1 failure; 2 usage; 3 events are missing that no copy has.`,
		func(c *cobra.Command, _ []string) error {
			line, ok := exportFormats[format]
			if !ok {
				return cli.Usage(c, fmt.Errorf("format %q is none of: %s", format, formats))
			}
			if typ != "" && !cli.DeclaredType(events.Type(typ)) {
				return cli.Usage(c, cli.UnknownType(typ))
			}
			return a.Reading(c.Context(), func(log *journal.Log) error {
				sel, err := cli.Selectors(c.Context(), a, log, cli.Selection{Session: session, Type: typ})
				if err != nil {
					return err
				}
				out := bufio.NewWriter(cli.Verbatim(a.Out))
				enc := a.EncoderTo(out)
				for e, err := range log.Events(c.Context(), events.Span{}, sel...) {
					if err != nil {
						return errors.Join(cli.Damaged(err), out.Flush())
					}
					x, err := events.ExportOf(e)
					if err != nil {
						return errors.Join(err, out.Flush())
					}
					if err := enc.Encode(line(x)); err != nil {
						return errors.Join(err, out.Flush())
					}
				}
				return out.Flush()
			})
		})
	c.Flags().StringVar(&session, "session", "", "only this session (id or unique prefix)")
	c.Flags().StringVar(&typ, "type", "", "only this type")
	c.Flags().StringVar(&format, "format", "jsonl", formats)
	cli.TeamFlag(a, c)
	return c
})
