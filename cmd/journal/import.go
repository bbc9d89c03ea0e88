package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"journal/embedded/ownership"
	"journal/events"
	"journal/journal"
)

// importDoc says what an import did.
type importDoc struct {
	Files       []importedFile      `json:"files"`
	Sessions    int                 `json:"sessions"`
	Events      int                 `json:"events"` // added
	Types       map[events.Type]int `json:"types"`  // of those, by type
	Compactions int                 `json:"compactions"`
	Skipped     int                 `json:"skipped"` // files that are no transcript
	Broken      int                 `json:"broken"`  // rows that are no JSON
	Gaps        int                 `json:"gaps"`    // stretches that hooks missed
	Bytes       int64               `json:"bytes"`
	DryRun      bool                `json:"dry_run"`
	Spooled     bool                `json:"spooled"` // some of it waits for the log's owner

	sessions map[string]bool
}

// importedFile is one transcript.
type importedFile struct {
	Path        string `json:"path"`
	Session     string `json:"session,omitempty"`
	Rows        int    `json:"rows"`
	Broken      int    `json:"broken"`
	Compactions int    `json:"compactions"`
	Events      int    `json:"events"`         // added
	Covered     int    `json:"covered"`        // steps that the log held, or that lie between such
	Common      int    `json:"common"`         // steps that belong to the session it was forked from
	Before      int    `json:"before"`         // steps before the first that a hook told, under SESSION~1
	Missed      int    `json:"missed"`         // steps that hooks missed in between, under SESSION~2 and on
	Gaps        int    `json:"gaps"`           // stretches of those
	Skip        string `json:"skip,omitempty"` // why it was not imported
}

func (d *importDoc) add(f importedFile) {
	d.Files = append(d.Files, f)
	d.Events += f.Events
	d.Compactions += f.Compactions
	d.Broken += f.Broken
	d.Gaps += f.Gaps
	if f.Skip != "" {
		d.Skipped++
	}
	if f.Session != "" && !d.sessions[f.Session] {
		d.sessions[f.Session] = true
		d.Sessions++
	}
}

var _ = verb(func(a *app) *cobra.Command {
	var agent string
	var dryRun, asJSON bool
	c := &cobra.Command{
		Use:   "import PATH...",
		Short: "past sessions from their transcripts",
		Long: `Reads transcripts of Claude Code, files or folders with them, and adds what the log does not hold:
the same events that hooks would have told, redacted and cut alike. A second import adds nothing.

  journal import ~/.claude/projects

Of a session that was also hooked, what lies before the first hook becomes the session SESSION~1,
what lies behind the last goes on with the session, and what hooks missed in between becomes
SESSION~2 and on, because nothing can be put between what was recorded. Of a fork, the rows of
the session that it was forked from are imported once. A broken row is kept as a gap.

Exit codes: 0; 1 failure; 2 usage.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, paths []string) error {
			if agent != "claude" {
				return usage(c, fmt.Errorf("transcripts of %q cannot be read (known: claude)", agent))
			}
			doc, err := a.importAll(c.Context(), paths, dryRun)
			if err != nil {
				return err
			}
			if asJSON {
				return a.printJSON(doc)
			}
			return a.printImport(doc)
		},
	}
	c.Flags().StringVar(&agent, "agent", "claude", "whose transcripts they are")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be added, and add nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return c
})

func (a *app) importAll(ctx context.Context, paths []string, dryRun bool) (*importDoc, error) {
	doc := &importDoc{Files: []importedFile{}, Types: map[events.Type]int{}, DryRun: dryRun, sessions: map[string]bool{}}
	files, total, err := transcripts(paths)
	if err != nil {
		return doc, withHint(err, "journal import ~/.claude/projects")
	}
	if len(files) == 0 {
		return doc, withHint(errors.New("no transcripts (*.jsonl) there"), "journal import ~/.claude/projects")
	}
	if !dryRun { // then an owner can be had, and the import goes past the spool
		if err := ownership.Prepare(a.dir); err != nil {
			return doc, withHint(err, "journal doctor")
		}
	}
	known := newRecord()
	err = a.read(ctx, func(log *journal.Log) error {
		known, err = recordOf(ctx, log)
		return err
	})
	if err != nil && !errors.Is(err, errNoJournal) {
		return doc, err
	}
	show, end := a.progress("imported")
	defer end()
	im := importer{record: known, send: &sender{to: a.appender(), dry: dryRun}, doc: doc}
	im.show = func(n int64) {
		if doc.Bytes += n; show != nil {
			show(doc.Bytes, total)
		}
	}
	for _, f := range files {
		if err := im.file(ctx, f); err != nil {
			return doc, fmt.Errorf("import %s: %w", f.path, err)
		}
	}
	doc.Spooled = im.send.spooled
	return doc, nil
}

func (a *app) printImport(doc *importDoc) error {
	for _, f := range doc.Files {
		switch {
		case f.Skip != "":
			fmt.Fprintf(a.out, "skipped  %s: %s\n", f.Path, f.Skip)
		case f.Missed > 0 || f.Before > 0:
			fmt.Fprintf(a.out, "partly   %s: %d steps before the first hook, %d that hooks missed\n", f.Session, f.Before, f.Missed)
		}
	}
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
	row := func(name string, n any) { fmt.Fprintf(w, "%s\t%v\n", name, n) }
	row("transcripts", len(doc.Files)-doc.Skipped)
	row("sessions", doc.Sessions)
	row("read", size(uint64(doc.Bytes)))
	row("compactions", doc.Compactions)
	row("files skipped", doc.Skipped)
	row("broken rows", doc.Broken)
	row("gaps", doc.Gaps)
	verb := "events added"
	if doc.DryRun {
		verb = "would be added"
	}
	row(verb, doc.Events)
	for _, t := range slices.Sorted(maps.Keys(doc.Types)) {
		row("  "+string(t), doc.Types[t])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	if doc.Spooled {
		fmt.Fprintln(a.out, "some of it waits in the spool: journal status")
	}
	if doc.Events > 0 && !doc.DryRun {
		fmt.Fprintln(a.out, "journal sessions lists them; journal audit --session S says what their compactions lost")
	}
	return nil
}
