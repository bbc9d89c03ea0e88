package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal"
	"journal/journal/redact"
	"journal/journal/transcript"
	"journal/projections"
)

// importDoc says what an import did.
type importDoc struct {
	Files       []importedFile `json:"files"`
	Events      int            `json:"events"`      // added
	Compactions int            `json:"compactions"` // in the transcripts
	Broken      int            `json:"broken"`      // rows that are no JSON
	Bytes       int64          `json:"bytes"`
	DryRun      bool           `json:"dry_run"`
}

// importedFile is one transcript.
type importedFile struct {
	Path        string `json:"path"`
	Session     string `json:"session,omitempty"`
	Lane        string `json:"lane,omitempty"`
	Rows        int    `json:"rows"`
	Broken      int    `json:"broken"`
	Compactions int    `json:"compactions"`
	Events      int    `json:"events"`         // added
	Covered     int    `json:"covered"`        // steps that the log held already
	Before      int    `json:"before"`         // steps before the first that a hook told, under SESSION~1
	Missed      int    `json:"missed"`         // steps that hooks missed in between, under SESSION~2
	Skip        string `json:"skip,omitempty"` // why nothing of it was read
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
SESSION~2, because nothing can be put between what was recorded. Rows that are broken are
counted and passed over.

Exit codes: 0; 1 failure; 2 usage.`,
		Args: args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, paths []string) error {
			if agent != "claude" {
				return usage(c, fmt.Errorf("transcripts of %q cannot be read (known: claude)", agent))
			}
			return a.importAll(c.Context(), paths, dryRun, asJSON)
		},
	}
	c.Flags().StringVar(&agent, "agent", "claude", "whose transcripts they are")
	c.Flags().BoolVar(&dryRun, "dry-run", false, "say what would be added, and add nothing")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return c
})

func (a *app) importAll(ctx context.Context, paths []string, dryRun, asJSON bool) error {
	files, total, err := transcripts(paths)
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return withHint(errors.New("there are no transcripts (*.jsonl) in it"), "journal import ~/.claude/projects")
	}
	// The log has to be there to be compared with.
	if err := a.recordImport(ctx, dryRun); err != nil {
		return err
	}
	doc := importDoc{Files: []importedFile{}, DryRun: dryRun}
	show, end := a.progress("imported")
	defer end()
	done := int64(0)
	note := func(n int64) {
		if done += n; show != nil {
			show(done, total)
		}
	}
	each := func(log *journal.Log) error {
		for _, path := range files {
			f, err := a.importOne(ctx, log, path, dryRun, note)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			doc.Files = append(doc.Files, f)
			doc.Events += f.Events
			doc.Compactions += f.Compactions
			doc.Broken += f.Broken
		}
		return nil
	}
	if err = a.read(ctx, each); dryRun && errors.Is(err, errNoJournal) {
		err = each(nil)
	}
	end()
	doc.Bytes = done
	if err != nil {
		return err
	}
	if asJSON {
		return a.printJSON(doc)
	}
	a.printImport(doc)
	return nil
}

// recordImport makes the log when there is none, so that an import can be the first
// thing that is done with it.
func (a *app) recordImport(ctx context.Context, dryRun bool) error {
	if _, err := os.Stat(a.dir); err == nil || dryRun {
		return nil
	}
	_, err := a.appender().Append(ctx, journal.About{}, events.NoteRecorded{Text: "past sessions are imported from transcripts", Heading: "import"})
	if err != nil {
		return notRecorded(err)
	}
	return nil
}

// transcripts lists the transcripts of files and folders, each once, sorted.
func transcripts(paths []string) (files []string, bytes int64, err error) {
	seen := map[string]bool{}
	add := func(path string, info fs.FileInfo) {
		if !seen[path] && info.Mode().IsRegular() {
			seen[path] = true
			files = append(files, path)
			bytes += info.Size()
		}
	}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, 0, err
		}
		if !info.IsDir() {
			add(path, info)
			continue
		}
		err = filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".jsonl") {
				return err
			}
			info, err := d.Info()
			if err == nil {
				add(path, info)
			}
			return err
		})
		if err != nil {
			return nil, 0, err
		}
	}
	slices.Sort(files)
	return files, bytes, nil
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) }

// importOne imports one transcript. Without a log there is nothing to compare with.
func (a *app) importOne(ctx context.Context, log *journal.Log, path string, dryRun bool, progress func(int64)) (importedFile, error) {
	doc := importedFile{Path: path}
	f, err := os.Open(path)
	if err != nil {
		return doc, err
	}
	defer f.Close()
	r, err := transcript.NewReader(f, a.getenv, progress)
	if err != nil {
		return doc, err
	}
	steps, target, known, err := stretches(r, func(t projections.Target) (onRecord, error) { return onRecordOf(ctx, log, t) })
	sum := r.Summary()
	doc.Rows, doc.Broken, doc.Compactions = sum.Rows, sum.Broken, sum.Compactions
	if err != nil {
		return doc, err
	}
	if len(steps) == 0 {
		doc.Skip = errNoTranscript.Error()
		return doc, nil
	}
	p := plan(steps, target, known)
	doc.Session, doc.Lane, doc.Covered = target.Session, target.Lane, p.covered
	doc.Before, doc.Missed = len(p.before), len(p.holes)
	parts := [][]stretch{under(p.before, target.Session+beforeHooks), under(p.holes, target.Session+holesOf), p.after}
	if len(p.holes) > 0 {
		gap, err := gapOf(p, target)
		if err != nil {
			return doc, err
		}
		parts = append(parts, []stretch{gap})
	}
	for _, part := range parts {
		n, err := a.hand(ctx, part, known, dryRun)
		doc.Events += n
		if err != nil {
			return doc, err
		}
	}
	return doc, nil
}

// gapOf says in the session itself what hooks missed of it.
func gapOf(p planned, t projections.Target) (stretch, error) {
	gap := events.SessionGap{Session: t.Session + holesOf}
	for _, s := range p.holes {
		switch {
		case s.what == "UserPromptSubmit":
			gap.Prompts++
		case strings.HasPrefix(s.what, "PostToolUse"):
			gap.Tools++
		case s.what == "Stop":
			gap.Turns++
		}
	}
	first := p.holes[0].events[0].Meta
	e, err := events.Wrap(gap, events.Meta{
		ID: events.DerivedID("session.gap", first.ID), At: first.At, Agent: first.Agent, Session: t.Session,
		Lane: t.Lane, Project: t.Project, Rules: int(redact.RuleSet),
	})
	return stretch{what: "gap", events: []events.Envelope{e}, root: p.holes[0].root}, err
}

// hand appends what is not known yet and says how many events that are.
func (a *app) hand(ctx context.Context, steps []stretch, known onRecord, dryRun bool) (added int, err error) {
	to := a.appender()
	for _, s := range steps {
		fresh := slices.DeleteFunc(slices.Clone(s.events), func(e events.Envelope) bool { return known.ids[e.ID] })
		if len(fresh) == 0 {
			continue
		}
		if added += len(fresh); dryRun {
			continue
		}
		r, err := journal.NewRequest(fresh, s.root)
		if err != nil {
			return added, err
		}
		if _, err := to.Send(ctx, r, 0); err != nil {
			return added, notRecorded(err)
		}
	}
	return added, nil
}

func (a *app) printImport(doc importDoc) {
	sessions := map[string]bool{}
	for _, f := range doc.Files {
		if f.Session != "" {
			sessions[f.Session] = true
		}
		switch {
		case f.Skip != "":
			fmt.Fprintf(a.out, "skipped  %s: %s\n", f.Path, f.Skip)
		case f.Missed > 0 || f.Before > 0:
			fmt.Fprintf(a.out, "partly   %s: %d steps before the first hook, %d that hooks missed\n", f.Session, f.Before, f.Missed)
		}
	}
	verb := "added"
	if doc.DryRun {
		verb = "would be added"
	}
	fmt.Fprintf(a.out, "%d transcripts of %d sessions, %s: %d events %s, %d compactions, %d broken rows\n",
		len(doc.Files), len(sessions), size(uint64(doc.Bytes)), doc.Events, verb, doc.Compactions, doc.Broken)
	if doc.Events > 0 && !doc.DryRun {
		fmt.Fprintln(a.out, "journal sessions lists them; journal audit --session S says what their compactions lost")
	}
}
