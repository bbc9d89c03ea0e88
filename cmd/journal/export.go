package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal"
)

// exportFormats makes of an event what a line of each format holds.
var exportFormats = map[string]func(events.View) any{
	"jsonl":       func(v events.View) any { return v },
	"cloudevents": func(v events.View) any { return cloudEventOf(v) },
}

var _ = verb(func(a *app) *cobra.Command {
	var session, typ, format string
	formats := strings.Join(slices.Sorted(maps.Keys(exportFormats)), ", ")
	c := &cobra.Command{
		Use:   "export",
		Short: "the log for other programs: JSON Lines or CloudEvents",
		Long: `Writes the events of the log to stdout, one JSON object per line, oldest first, second
reports of one fact with their mark: as journal log --json does (jsonl), or as CloudEvents
1.0 in their JSON format (cloudevents).

Exit codes: 0; 1 failure; 2 usage.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			line, ok := exportFormats[format]
			if !ok {
				return usage(c, fmt.Errorf("format %q is none of: %s", format, formats))
			}
			return a.read(c.Context(), func(log *journal.Log) error {
				sel, err := a.selectors(c.Context(), log, session, typ)
				if err != nil {
					return err
				}
				out := bufio.NewWriter(a.out)
				enc := json.NewEncoder(out)
				enc.SetEscapeHTML(false)
				for e, err := range log.Events(c.Context(), events.Span{}, sel...) {
					if err != nil {
						return errors.Join(damaged(err), out.Flush())
					}
					v, err := events.ViewOf(e)
					if err == nil {
						err = enc.Encode(line(v))
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
	return c
})

// cloudEvent is an event in the JSON format of CloudEvents 1.0. Attributes that
// are not the standard's are lower case letters, as it asks.
type cloudEvent struct {
	SpecVersion     string          `json:"specversion"`
	ID              string          `json:"id"`
	Source          string          `json:"source"`
	Type            string          `json:"type"`
	Subject         string          `json:"subject"`
	Time            string          `json:"time"`
	DataContentType string          `json:"datacontenttype"`
	Sequence        string          `json:"sequence"` // its extension's type is text
	SequenceType    string          `json:"sequencetype"`
	TypeVersion     int             `json:"typeversion"`
	Agent           string          `json:"agent,omitempty"`
	Lane            string          `json:"lane,omitempty"`
	Turn            string          `json:"turn,omitempty"`
	Cause           string          `json:"cause,omitempty"`
	EchoOf          uint64          `json:"echoof,omitempty"`
	Data            json.RawMessage `json:"data"`
}

func cloudEventOf(v events.View) cloudEvent {
	return cloudEvent{
		SpecVersion: "1.0", ID: v.ID, Source: "journal:" + url.PathEscape(v.Project), Subject: v.Session,
		Type: "journal." + string(v.Type), Time: v.At, DataContentType: "application/json",
		Sequence: fmt.Sprintf("%020d", v.Seq), SequenceType: "Integer", TypeVersion: v.Version,
		Agent: v.Agent, Lane: v.Lane, Turn: v.Turn, Cause: v.Cause, EchoOf: v.EchoOf, Data: v.Data,
	}
}
