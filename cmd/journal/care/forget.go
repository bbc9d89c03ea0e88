package care

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/rebuild"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
	"journal/embedded/transcriptcopies"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/forgotten"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var f forgetFlags
	var before cli.Moment
	c := cli.NewCommand("forget", "remove events for good",
		`Removes events from the log, its archive, the spool, and every copy that a repair set aside, and
copies of transcripts (journal help config) that have a part of it.
In their place stands log.forgotten, which says nothing about them. Several flags remove the events
that match all of them. There is no way back. The agents' transcripts and your backups are not
touched. Imports leave out what was forgotten, by digests of ids; restoring a backup brings it back.

  journal forget --session 4f1c --dry-run
  journal forget --match 'the name of a customer' --yes
  journal forget --project . --before 2026-01-31

--secrets keeps the events and puts marks in place of secrets that older rules missed. It lists each by
event number, kind, place and length, and never shows it. Other flags select the events. Change every
secret that leaked: others may have read it.

Exit codes: 0; 1 failure, or not confirmed; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if f.Session == "" && f.Project == "" && f.Match == "" && before.IsZero() && !f.Secrets {
				return cli.Usage(c, errors.New("--session, --project, --match, --before or --secrets is needed: what to forget"))
			}
			if f.Secrets && a.AsJSON {
				return cli.Usage(c, errors.New("--secrets and --json exclude each other"))
			}
			f.Before = before.From
			if err := a.CheckJournal(); err != nil {
				return err
			}
			forget := forgetEvents
			if f.Secrets {
				forget = forgetSecrets
			}
			if err := forget(c.Context(), a, f); err != nil {
				return err
			}
			if !f.dryRun {
				a.NotifyHub(c.Context())
			}
			return nil
		})
	a.JSONFlag(c)
	c.Flags().StringVar(&f.Session, "session", "", "events of this session (id or unique prefix)")
	c.Flags().StringVar(&f.Project, "project", "", "events of this project (directory, key, or name)")
	c.Flags().StringVar(&f.Match, "match", "", "events that contain exactly this text")
	c.Flags().Var(&before, "before", "events before this day or time (journal help times)")
	c.Flags().BoolVar(&f.Secrets, "secrets", false, "only replace secrets, in events and in files beside the log; the events stay")
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only say how many; remove nothing")
	return c
})

// forgetFlags are the choices of journal forget.
type forgetFlags struct {
	rebuild.Selection
	yes, dryRun bool
}

// forgetDoc is the JSON document of a removal, or of its dry run.
type forgetDoc struct {
	Events   int         `json:"events"`
	Sessions []victimDoc `json:"sessions"`
	Files    []string    `json:"files"` // files set aside from the spool, outputs of runs, copies of transcripts
	Removed  bool        `json:"removed"`
}

// victimDoc is a session that loses events.
type victimDoc struct {
	Session string `json:"session"`
	Project string `json:"project"`
	Events  int    `json:"events"`
	Title   string `json:"title"` // its first request; empty without one
}

func forgetEvents(ctx context.Context, a *cli.App, f forgetFlags) error {
	return withLock(ctx, a, func(lock *ownership.Lock) error {
		doc := forgetDoc{Sessions: []victimDoc{}, Files: []string{}}
		var victims []rebuild.Victims
		digests, err := forgotten.Open(a.Dir)
		if errors.Is(err, forgotten.ErrDamaged) {
			a.Note(err.Error() + "; imports may bring back what was forgotten before")
		} else if err != nil {
			return err
		}
		err = withDrainedLog(ctx, a, lock, &f.Selection, func(log *journal.Log) (err error) {
			if victims, doc.Events, err = f.Collect(ctx, log, digests); err != nil {
				return err
			}
			for i, v := range victims {
				victim := victimDoc{Session: v.Session, Project: v.Project, Events: v.Events}
				if i < shownVictims || a.AsJSON {
					victim.Title = cli.Title(ctx, a, log, v.Project, v.Session)
				}
				doc.Sessions = append(doc.Sessions, victim)
			}
			return nil
		})
		if err != nil {
			return err
		}
		aside, err := f.Aside(a.Dir)
		if err != nil {
			return err
		}
		runs, err := f.Runs(a.Dir)
		if err != nil {
			return err
		}
		copies, err := f.Transcripts(ctx, a.Dir)
		if err != nil {
			return err
		}
		doc.Files = append(append(doc.Files, aside...), runs...)
		for _, c := range copies {
			doc.Files = append(doc.Files, c.Path)
		}
		if !a.AsJSON {
			printVictims(a, doc, victims, len(aside))
		}
		if doc.Events+len(doc.Files) == 0 && f.Project != "" {
			return cli.WithHint(fmt.Errorf("the log holds nothing of that in project %s", f.Project), "journal sessions, which lists the projects")
		}
		if doc.Events+len(doc.Files) > 0 && !f.dryRun {
			if err := remove(ctx, a, lock, f, &doc, runs, len(copies), digests); err != nil {
				return err
			}
		}
		return a.Print(doc, func() {})
	})
}

// remove removes the selected events and files for good, after a person confirmed it.
func remove(ctx context.Context, a *cli.App, lock *ownership.Lock, f forgetFlags, doc *forgetDoc, runs []string, copies int, digests *forgotten.Set) error {
	printf := func(format string, args ...any) {
		if !a.AsJSON {
			fmt.Fprintf(a.Out, format, args...)
		}
	}
	for _, path := range runs {
		printf("outputs of a run to be removed: %s\n", path)
	}
	for _, path := range doc.Files[len(doc.Files)-copies:] {
		printf("copy of a transcript to be removed: %s\n", path)
	}
	for _, path := range rebuild.Suspects(a.Dir) {
		printf("copy to be removed: %s\n", path)
	}
	if err := a.Confirm(ctx, f.yes, "Remove them for good?", "journal forget --yes …"); err != nil {
		return err
	}
	if err := rebuild.RemoveAside(doc.Files); err != nil {
		return err
	}
	if f.Match != "" || !f.Before.IsZero() { // the sessions stay, and their transcripts hold it
		if err := transcriptcopies.Bar(a.Dir); err != nil {
			return err
		}
	}
	doc.Removed = true
	if doc.Events == 0 {
		return nil
	}
	if err := digests.Save(); err != nil { // before the events are gone
		return err
	}
	show, end := a.Progress("rebuilding")
	defer end()
	r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{Reason: f.Reason(), Forget: f.Selects, Progress: show, Logger: a.Logger()})
	if errors.Is(err, rebuild.ErrDamaged) {
		return cli.WithHint(err, "journal repair")
	}
	if err != nil {
		return err
	}
	printf("forgotten: %s\n", text.Counted(r.Forgotten, "event"))
	a.Note("the transcripts and backups that hold it are not touched: journal import leaves it out, and restore-backup would bring it back")
	return nil
}

// shownVictims bounds the list of sessions that lose events.
const shownVictims = 10

// printVictims shows a person what they are about to lose.
func printVictims(a *cli.App, doc forgetDoc, all []rebuild.Victims, aside int) {
	a.Table(func(row func(...any)) {
		for i, v := range doc.Sessions[:min(len(all), shownVictims)] {
			row(journal.ShortID(v.Session), v.Project, text.Counted(v.Events, "event"), text.CutColumns(cmp.Or(v.Title, "("+string(all[i].First.Type)+")"), 60))
		}
	})
	if more := len(all) - shownVictims; more > 0 {
		fmt.Fprintf(a.Out, "and %s\n", text.Counted(more, "more session"))
	}
	found := text.Counted(doc.Events, "event")
	if aside > 0 {
		found += ", " + text.Counted(aside, "file") + " set aside from the spool"
	}
	fmt.Fprintln(a.Out, found)
}

// withDrainedLog drains the spool into the log, replaces the session and project of s by their full names, and runs
// use on the log.
func withDrainedLog(ctx context.Context, a *cli.App, lock *ownership.Lock, s *rebuild.Selection, use func(*journal.Log) error) (err error) {
	o, err := service.Open(ctx, lock, a.OwnerConfig())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if err := o.Drain(ctx); err != nil {
		return err
	}
	if s.Session != "" {
		if s.Session, err = sessionToForget(ctx, a, o.Log(), s.Session); err != nil {
			return err
		}
	}
	if s.Project != "" {
		s.Project = a.ProjectIn(ctx, o.Log(), s.Project)
	}
	err = use(o.Log())
	if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
		err = cli.WithHint(err, "journal repair")
	}
	return err
}

// sessionToForget returns the id of the named session. Here a whole id means exactly that session, even
// if a longer id begins with it.
func sessionToForget(ctx context.Context, a *cli.App, log *journal.Log, id string) (string, error) {
	all, err := cli.SessionsAtHome(ctx, a, log)
	if err != nil {
		return "", err
	}
	s, err := cli.SessionNamed(ctx, a, log, id)
	if s.ID == id || !slices.ContainsFunc(all, func(s journal.Session) bool { return s.ID == id }) {
		return s.ID, err
	}
	if err != nil { // several ids begin with it
		return id, nil
	}
	title := text.CutColumns(cli.Title(ctx, a, log, s.Project, s.ID), cli.TitleColumns)
	a.Note(fmt.Sprintf("this is session %s alone, not %s (%s), whose id begins with it", id, s.ID, title))
	return id, nil
}
