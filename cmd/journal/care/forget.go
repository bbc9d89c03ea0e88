package care

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/team"
	"journal/cmd/journal/work"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
	"journal/embedded/store/rebuild"
	"journal/events"
	"journal/events/text"
	"journal/journal"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var f forgetFlags
	var before cli.Moment
	c := &cobra.Command{
		Use:   "forget",
		Short: "remove events for good",
		Long: `Removes events from the log, its archive, the spool, and every copy that a repair put aside.
log.forgotten stands in their places and says nothing of them. Several flags together
remove what all of them name. There is no way back. The agents' transcripts and backups of yours
are not touched: to read them in again is to have it again.

  journal forget --session 4f1c --dry-run
  journal forget --match 'the name of a customer' --yes
  journal forget --project . --before 2026-01-31

--secrets removes no event but the secrets that older rules let into them: each is listed by the event's
number, kind, place and length, never shown, and gives way to a mark. With other flags only in the
events that these name. Change a secret that leaked: others may have read it.

Exit codes: 0; 1 failure, or not confirmed; 2 usage.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.Session == "" && f.Project == "" && f.Match == "" && before.IsZero() && !f.Secrets {
				return cli.Usage(c, errors.New("--session, --project, --match, --before or --secrets says what to forget"))
			}
			f.Before = before.From
			if err := a.IsThere(); err != nil {
				return err
			}
			forget := forgetEvents
			if f.Secrets {
				forget = forgetSecrets
			}
			err := forget(c.Context(), a, f)
			if err == nil && !f.dryRun {
				team.TellHub(c.Context(), a)
			}
			return err
		},
	}
	c.Flags().StringVar(&f.Session, "session", "", "events of this session (id or unique prefix)")
	c.Flags().StringVar(&f.Project, "project", "", "events of this project (directory or key)")
	c.Flags().StringVar(&f.Match, "match", "", "events that hold this text, letter by letter")
	c.Flags().Var(&before, "before", "events before this day or time (journal help times)")
	c.Flags().BoolVar(&f.Secrets, "secrets", false, "only the secrets in events, which stay")
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only say how many")
	return c
})

// forgetFlags are the choices of journal forget.
type forgetFlags struct {
	rebuild.Selection
	yes, dryRun bool
}

func forgetEvents(ctx context.Context, a *cli.App, f forgetFlags) error {
	return withLock(ctx, a, func(lock *ownership.Lock) error {
		var victims []rebuild.Victims
		var titles []string
		n := 0
		err := toForget(ctx, a, lock, &f.Selection, func(log *journal.Log) (err error) {
			if victims, n, err = f.Look(ctx, log); err == nil {
				titles = titlesOf(ctx, a, log, victims)
			}
			return err
		})
		if err != nil {
			return err
		}
		printVictims(a, victims, titles)
		aside, err := f.Aside(a.Dir)
		if err != nil {
			return err
		}
		runs, err := work.RunsNamed(a, f.Selection)
		if err != nil {
			return err
		}
		found := cli.Counted(n, "event")
		if len(aside) > 0 {
			found += ", " + cli.Counted(len(aside), "file") + " set aside from the spool"
		}
		fmt.Fprintln(a.Out, found)
		if n+len(aside)+len(runs) == 0 && f.Project != "" {
			return cli.WithHint(fmt.Errorf("the log holds nothing of that in project %s", f.Project), "journal sessions, which names the projects")
		}
		if n+len(aside)+len(runs) == 0 || f.dryRun {
			return nil
		}
		for _, path := range runs {
			fmt.Fprintf(a.Out, "outputs of a run to be removed: %s\n", path)
		}
		for _, path := range rebuild.Suspects(a.Dir) {
			fmt.Fprintf(a.Out, "copy to be removed: %s\n", path)
		}
		if err := a.Confirm(ctx, f.yes, "Remove them for good?", "journal forget --yes …"); err != nil {
			return err
		}
		if err := rebuild.RemoveAll(append(aside, runs...)); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		show, end := a.Progress("rebuilding")
		defer end()
		r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{Reason: f.Reason(), Forget: f.Names, Progress: show, Logger: a.Logger()})
		if errors.Is(err, rebuild.ErrDamaged) {
			return cli.WithHint(err, "journal repair")
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "forgotten: %s\n", cli.Counted(r.Forgotten, "event"))
		a.Note("the transcripts and backups that hold it are not touched: journal import and restore-backup would bring it back")
		return nil
	})
}

// shownVictims is how many sessions are shown of those that lose something.
const shownVictims = 10

// printVictims shows what is to be removed, so that a person sees what they are about to
// lose.
func printVictims(a *cli.App, all []rebuild.Victims, titles []string) {
	a.Table(func(row func(...any)) {
		for i, v := range all[:min(len(all), shownVictims)] {
			what := titles[i]
			if what == "" {
				what = "(" + string(v.First.Type) + ")"
			}
			row(journal.ShortID(v.Session), v.Project, cli.Counted(v.Events, "event"), text.CutColumns(what, 60))
		}
	})
	if more := len(all) - shownVictims; more > 0 {
		fmt.Fprintf(a.Out, "and %s\n", cli.Counted(more, "more session"))
	}
}

// titlesOf gives what was asked first in the sessions that are shown; empty where nothing was, or nothing tells it.
func titlesOf(ctx context.Context, a *cli.App, log *journal.Log, all []rebuild.Victims) []string {
	titles := make([]string, min(len(all), shownVictims))
	for i := range titles {
		titles[i] = cli.Title(ctx, a, log, all[i].Project, all[i].Session)
	}
	return titles
}

// toForget looks at a log with everything in it that waits in the spool, and completes the session
// and project that were given.
func toForget(ctx context.Context, a *cli.App, lock *ownership.Lock, s *rebuild.Selection, look func(*journal.Log) error) (err error) {
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
		s.Project = a.ProjectKey(s.Project)
	}
	err = look(o.Log())
	if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
		err = cli.WithHint(err, "journal repair")
	}
	return err
}

// sessionToForget gives the id of a session that is named. Here a whole id means what has it, also
// where an agent told of a longer one.
func sessionToForget(ctx context.Context, a *cli.App, log *journal.Log, given string) (string, error) {
	all, err := cli.SessionsAtHome(ctx, a, log)
	if err != nil {
		return "", err
	}
	s, err := cli.SessionNamed(ctx, a, log, given)
	if s.ID == given || !slices.ContainsFunc(all, func(s journal.Session) bool { return s.ID == given }) {
		return s.ID, err
	}
	if err == nil {
		title := text.CutColumns(cli.Title(ctx, a, log, s.Project, s.ID), cli.TitleColumns)
		a.Note(fmt.Sprintf("this is of session %s alone; not of %s (%s), whose id begins alike", given, s.ID, title))
	}
	return given, nil
}
