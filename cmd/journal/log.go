package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/events/text"
	"journal/journal"
)

var _ = verb(func(a *app) *cobra.Command {
	var session, typ string
	var follow, echoes bool
	c := &cobra.Command{
		Use:   "log",
		Short: "the events, oldest first, live with -f",
		Long: `Prints the events of the log, one per line, oldest first. With -f it goes on as they
come, until it is interrupted. With --json every line is one object with stable keys.
Second reports of one fact (double-wired hooks) are left out unless --echoes is given.

Exit codes: 0; 1 failure.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.read(c.Context(), func(log *journal.Log) error {
				sel, err := a.selectors(c.Context(), log, session, typ)
				if err != nil {
					return err
				}
				var all iter.Seq2[events.Envelope, error]
				if follow {
					all = log.Follow(c.Context(), 0, sel...)
				} else {
					all = log.Events(c.Context(), events.Span{}, sel...)
				}
				for e, err := range all {
					if err != nil {
						return withHint(err, "journal status")
					}
					if e.EchoOf != 0 && !echoes {
						continue
					}
					if err := a.printEvent(e); err != nil {
						return err
					}
				}
				return nil
			})
		},
	}
	c.Flags().StringVar(&session, "session", "", "only this session (id or unique prefix)")
	c.Flags().StringVar(&typ, "type", "", "only this type")
	c.Flags().BoolVarP(&follow, "follow", "f", false, "go on as events come")
	a.jsonLinesFlag(c)
	c.Flags().BoolVar(&echoes, "echoes", false, "also second reports of one fact")
	return c
})

// selectors makes the selectors of the flags; none is everything.
func (a *app) selectors(ctx context.Context, log *journal.Log, session, typ string) ([]events.Selector, error) {
	sel := events.Selector{Type: events.Type(typ)}
	if session != "" {
		t, err := a.target(ctx, log, targetFlags{session: session})
		if err != nil {
			return nil, err
		}
		sel.Session = t.Session
	}
	if sel == (events.Selector{}) {
		return nil, nil
	}
	return []events.Selector{sel}, nil
}

func (a *app) printEvent(e events.Envelope) error {
	v, err := events.ViewOf(e)
	if err != nil {
		return err
	}
	if a.asJSON {
		return jsonTo(a.out).Encode(v)
	}
	session := e.Session
	if len(session) > 8 {
		session = session[:8]
	}
	if e.Lane != "" {
		session += "/" + e.Lane
	}
	echo := ""
	if e.EchoOf != 0 {
		echo = fmt.Sprintf(" (echo of #%d)", e.EchoOf)
	}
	_, err = fmt.Fprintf(a.out, "#%-5d %s  %-8s  %-20s %s%s\n",
		e.Seq, e.Time().Local().Format("01-02 15:04:05"), session, e.Type, gist(v.Data), echo)
	return err
}

// gist puts the fields of an event on one line.
func gist(data json.RawMessage) string {
	var fields map[string]any
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if err := dec.Decode(&fields); err != nil {
		return ""
	}
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch v := fields[name].(type) {
		case string:
			parts = append(parts, name+"="+quoteIfNeeded(text.CutUnits(oneLine(v), 100)))
		case []any:
			parts = append(parts, fmt.Sprintf("%s=%d items", name, len(v)))
		case map[string]any:
			parts = append(parts, name+"={…}")
		default:
			parts = append(parts, fmt.Sprintf("%s=%v", name, v))
		}
	}
	return text.CutUnits(strings.Join(parts, " "), 200)
}

func quoteIfNeeded(s string) string {
	if s == "" || strings.Contains(s, " ") {
		return `"` + s + `"`
	}
	return s
}
