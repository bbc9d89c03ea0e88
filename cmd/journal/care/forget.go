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
		`Removes the events that match all of the flags: from the log, its archive, the spool and the copies
that a repair left, with the copies of their transcripts. This cannot be undone. log.forgotten, which
tells nothing about them, takes their place. The agents' transcripts and your backups are not changed:
imports leave out forgotten events, which they know by digests of ids, but restore-backup restores them.

  journal forget --session 4f1c --dry-run
  journal forget --match 'the name of a customer' --yes
  journal forget --project . --before 2026-01-31

--secrets keeps the events and puts marks in place of secrets that older rules missed. It lists each by
event number, kind, place and length, and never shows it. Other flags select the events. Change every
secret that leaked: others may have read it.

Exit codes: 0; 1 failure, or not confirmed; 2 usage.`,
		func(c *cobra.Command, _ []string) error {
			if f.Session == "" && f.Project == "" && f.Match == "" && before.IsZero() && !f.Secrets {
				return cli.Usage(errors.New("what to forget? --session, --project, --match, --before or --secrets is needed"))
			}
			for _, name := range []string{"session", "project", "match"} {
				// "--session $ID" without an ID would remove the events of all sessions that the other flags select.
				if flag := c.Flags().Lookup(name); flag.Changed && flag.Value.String() == "" {
					return cli.Usage(fmt.Errorf("--%s has no value, and without it more would be removed", name))
				}
			}
			if f.Secrets && a.AsJSON {
				return cli.Usage(errors.New("--secrets and --json exclude each other"))
			}
			f.Before = before.From
			if err := a.CheckJournal(); err != nil {
				return err
			}
			forget := forgetEvents
			if f.Secrets {
				forget = forgetSecrets
			}
			if err := forget(c.Context(), a, f); err != nil || f.dryRun {
				return err
			}
			a.Team().RemoveFromHub(c.Context(), a)
			return nil
		})
	a.JSONFlag(c)
	c.Flags().StringVar(&f.Session, "session", "", "events of this session (id or unique prefix)")
	c.Flags().StringVar(&f.Project, "project", "", "events of this project (directory, key, or name)")
	c.Flags().StringVar(&f.Match, "match", "", "events that contain exactly this text")
	c.Flags().Var(&before, "before", "events before this day or time (journal help times)")
	c.Flags().BoolVar(&f.Secrets, "secrets", false, "only replace secrets, in events and in files beside the log; the events stay")
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask for confirmation")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only show what would be removed")
	return c
})

// forgetFlags are the flags of journal forget.
type forgetFlags struct {
	rebuild.Selection
	yes, dryRun bool
}

// forgetDoc is the JSON document of a removal, or of its dry run.
type forgetDoc struct {
	Events   int         `json:"events"`
	Sessions []victimDoc `json:"sessions"`
	Files    []string    `json:"files"`   // set aside from the spool; outputs of runs; copies of transcripts, and those that a repair left
	Removed  bool        `json:"removed"` // false in a dry run, and if nothing was selected
}

// victimDoc is a session that loses events.
type victimDoc struct {
	Session string `json:"session"`
	Project string `json:"project"`
	Events  int    `json:"events"`
	Title   string `json:"title"` // its first request; empty without one, and for a session that is not shown

	firstType events.Type // of the first event that it loses
}

// forgetEvents shows the events and files that the flags select, and removes them unless it is a dry run.
func forgetEvents(ctx context.Context, a *cli.App, f forgetFlags) error {
	return withLock(ctx, a, func(lock *ownership.Lock) error {
		doc := forgetDoc{Sessions: []victimDoc{}, Files: []string{}}
		digests, err := forgotten.Open(a.Dir)
		if errors.Is(err, forgotten.ErrDamaged) {
			a.Note(err.Error() + "; imports may add again what was forgotten before")
		} else if err != nil {
			return err
		}
		err = withDrainedLog(ctx, a, lock, &f.Selection, func(log *journal.Log) error {
			victims, n, err := f.Collect(ctx, log, digests)
			if err != nil {
				return err
			}
			doc.Events = n
			for i, v := range victims {
				victim := victimDoc{Session: v.Session, Project: v.Project, Events: v.Events, firstType: v.First.Type}
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
		transcripts, err := f.Transcripts(ctx, a.Dir)
		if err != nil {
			return err
		}
		doc.Files = append(doc.Files, slices.Concat(aside, runs, transcripts)...)
		if !a.AsJSON {
			printVictims(a, doc, len(aside))
		}
		if doc.Events+len(doc.Files) == 0 && f.Project != "" {
			return cli.WithHint(fmt.Errorf("the log holds nothing of that in project %s", f.Project), "journal sessions, which lists the projects")
		}
		if doc.Events+len(doc.Files) > 0 {
			suspects := rebuild.Suspects(a.Dir)
			if !a.AsJSON {
				printCopies(a, runs, transcripts, suspects)
			}
			if !f.dryRun {
				if err := remove(ctx, a, lock, f, &doc, suspects, digests); err != nil {
					return err
				}
			}
			doc.Files = append(doc.Files, suspects...) // only now: remove leaves them to the rebuild
		}
		return a.Print(doc, func() {})
	})
}

// printCopies shows a person the outputs of runs, the copies of transcripts and the copies that a repair left, which go too.
func printCopies(a *cli.App, runs, transcripts, suspects []string) {
	list := func(what string, paths []string) {
		for _, path := range paths {
			fmt.Fprintf(a.Out, "%s to be removed: %s\n", what, path)
		}
	}
	list("outputs of a run", runs)
	list("copy of a transcript", transcripts)
	list("copy", suspects)
}

// remove asks a person for confirmation, removes the events that f selects, doc.Files and suspects for good, and sets doc.Removed.
// suspects are the copies that a repair left. digests are those of the selected events.
func remove(ctx context.Context, a *cli.App, lock *ownership.Lock, f forgetFlags, doc *forgetDoc, suspects []string, digests *forgotten.Set) error {
	if err := a.Confirm(ctx, f.yes, "Remove them for good?", "journal forget --yes …"); err != nil {
		return err
	}
	if err := rebuild.RemoveAside(doc.Files); err != nil {
		return err
	}
	if f.Match != "" || !f.Before.IsZero() { // only parts of sessions are removed: their transcripts must not be copied again
		if err := transcriptcopies.Bar(a.Dir); err != nil {
			return err
		}
	}
	doc.Removed = true
	if doc.Events == 0 { // there is no rebuild, which would remove the suspects
		return rebuild.RemoveAside(suspects)
	}
	if err := digests.Save(); err != nil { // first, so that no import adds a removed event again
		return err
	}
	show, end := a.Progress("rebuilding")
	defer end()
	r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{Reason: f.Reason(), Forget: f.Selects, Progress: show, Logger: a.Logger()})
	if err != nil {
		return err
	}
	if !a.AsJSON {
		fmt.Fprintf(a.Out, "forgotten: %s\n", text.Counted(r.Forgotten, "event"))
	}
	a.Note("transcripts and backups still hold it: journal import leaves it out, but restore-backup would restore it")
	return nil
}

// shownVictims bounds the sessions that a person is shown.
const shownVictims = 10

// printVictims shows a person which sessions lose events, and how many. aside is the number of files that were set aside from the
// spool.
func printVictims(a *cli.App, doc forgetDoc, aside int) {
	a.Table(func(row func(...any)) {
		for _, v := range doc.Sessions[:min(len(doc.Sessions), shownVictims)] {
			row(journal.ShortID(v.Session), v.Project, text.Counted(v.Events, "event"), text.CutColumns(cmp.Or(v.Title, "("+string(v.firstType)+")"), 60))
		}
	})
	if more := len(doc.Sessions) - shownVictims; more > 0 {
		fmt.Fprintf(a.Out, "and %s\n", text.Counted(more, "more session"))
	}
	found := text.Counted(doc.Events, "event")
	if aside > 0 {
		found += ", " + text.Counted(aside, "file") + " set aside from the spool"
	}
	fmt.Fprintln(a.Out, found)
}

// withDrainedLog opens the log, drains the spool into it, runs use, and closes the log. Before use it replaces the session and the
// project of s, which a person may have abbreviated, by an id and a key.
func withDrainedLog(ctx context.Context, a *cli.App, lock *ownership.Lock, s *rebuild.Selection, use func(*journal.Log) error) (err error) {
	o, err := service.Open(ctx, lock, a.OwnerConfig())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if err := o.Drain(ctx); err != nil {
		return err
	}
	log := a.PastMalformed(o.Log(), "")
	if s.Session != "" {
		if s.Session, err = sessionToForget(ctx, a, log, s.Session); err != nil {
			return err
		}
	}
	if s.Project != "" {
		s.Project = a.ProjectIn(ctx, log, s.Project)
	}
	err = use(log)
	if errors.Is(err, journal.ErrHole) {
		err = cli.WithHint(err, "journal repair")
	}
	return err
}

// sessionToForget returns the id of the session that id names. A session with exactly this id is meant, even if SessionNamed
// prefers a session of an agent whose longer id begins with it. A note then names the other session.
func sessionToForget(ctx context.Context, a *cli.App, log *journal.Log, id string) (string, error) {
	all, err := cli.Sessions(ctx, a, log)
	if err != nil {
		return "", err
	}
	s, err := cli.SessionNamed(ctx, a, log, id)
	if s.ID == id || !slices.ContainsFunc(all, func(s journal.Session) bool { return s.ID == id }) {
		return s.ID, err
	}
	if err != nil { // several other ids begin with it
		return id, nil
	}
	title := text.CutColumns(cli.Title(ctx, a, log, s.Project, s.ID), cli.TitleColumns)
	a.Note(fmt.Sprintf("this is session %s alone, not %s (%s), whose id begins with it", id, s.ID, title))
	return id, nil
}
