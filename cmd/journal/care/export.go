package care

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/page"
	"journal/events"
	"journal/events/text"
	"journal/journal"
)

// exportFormats has a function for each format, by the format's name. The function returns the JSON document of an event.
var exportFormats = map[string]func(events.Export) any{
	"jsonl":       func(x events.Export) any { return x },
	"cloudevents": func(x events.Export) any { return cloudEventOf(x.View) },
}

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var session, typ, format, html, markdown string
	formats := strings.Join(slices.Sorted(maps.Keys(exportFormats)), ", ")
	c := cli.NewCommand("export", "the log for other programs: JSON Lines or CloudEvents",
		`Writes the events of the log to stdout, one JSON object per line, oldest first. The format is jsonl,
that of journal log --json with more fields, or cloudevents, CloudEvents 1.0. Second reports of one
fact are included and marked. journal restore-backup restores the log from a full export in jsonl.
With --html or --md it writes one session to read or to share: the conversation, a line for each tool
call, and compactions with the number of restored items. Secrets are redacted once more. Events that no
copy has are left out, and named at the end.

Exit codes: 0; 1 failure; 2 usage; 3 events are missing that no copy has.`,
		func(c *cobra.Command, _ []string) error {
			document, ok := exportFormats[format]
			if !ok {
				return cli.Usage(fmt.Errorf("format %q is none of: %s", format, formats))
			}
			if err := cli.CheckType(typ); err != nil {
				return cli.Usage(err)
			}
			if html != "" || markdown != "" {
				return exportConversation(c, a, session, html, markdown)
			}
			return a.ReadPastHoles(c.Context(), func(log *journal.Log) error {
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
					if err := enc.Encode(document(x)); err != nil {
						return errors.Join(err, out.Flush())
					}
				}
				return out.Flush()
			})
		})
	c.Flags().StringVar(&session, "session", "", "only this session (id or unique prefix)")
	c.Flags().StringVar(&typ, "type", "", "only this type")
	c.Flags().StringVar(&format, "format", "jsonl", formats)
	c.Flags().StringVar(&html, "html", "", "write the session as one self-contained page to this file, - is stdout")
	c.Flags().StringVar(&markdown, "md", "", "write the session in Markdown to this file, - is stdout")
	return cli.TeamFlag(a, c)
})

// exportConversation writes one session for people: as a page into the file html, or as Markdown into the file markdown. The
// caller sets at least one of the two names.
func exportConversation(c *cobra.Command, a *cli.App, session, html, markdown string) error {
	if session == "" || html != "" && markdown != "" || c.Flags().Changed("type") || c.Flags().Changed("format") {
		return cli.Usage(errors.New("--html and --md write one --session; they exclude each other, --type and --format"))
	}
	ctx := c.Context()
	return a.ReadPastHoles(ctx, func(log *journal.Log) error {
		t, err := a.Target(ctx, log, cli.TargetFlags{Session: session})
		if err != nil {
			return err
		}
		agent, err := cli.AgentOf(ctx, a, log, t)
		if err != nil {
			return err
		}
		talk, err := page.ConversationOf(ctx, log, t, cli.Title(ctx, a, log, t.Project, t.Session), agent, time.Local, cli.Gist)
		if err != nil {
			return cli.Damaged(err)
		}
		path, write := html, page.WriteConversation
		if markdown != "" {
			path, write = markdown, page.WriteConversationMarkdown
		}
		return cli.WritePage(a, path, text.Counted(len(talk.Entries), "entry"), func(w io.Writer) error { return write(w, talk) })
	})
}
