package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"journal/embedded/ownership"
	"journal/embedded/rebuild"
	"journal/embedded/service"
	"journal/events"
	"journal/events/text"
	"journal/journal"
)

var _ = verb(func(a *app) *cobra.Command {
	var f forgetFlags
	var before string
	c := &cobra.Command{
		Use:     "forget",
		GroupID: caring,
		Short:   "remove events for good",
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
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.Session == "" && f.Project == "" && f.Match == "" && before == "" && !f.Secrets {
				return usage(c, errors.New("--session, --project, --match, --before or --secrets says what to forget"))
			}
			if before != "" {
				var err error
				if f.Before, err = parseTime(before); err != nil {
					return usage(c, err)
				}
			}
			if err := a.isThere(); err != nil {
				return err
			}
			forget := a.forget
			if f.Secrets {
				forget = a.forgetSecrets
			}
			err := forget(c.Context(), f)
			if err == nil && !f.dryRun {
				a.tellHub(c.Context())
			}
			return err
		},
	}
	c.Flags().StringVar(&f.Session, "session", "", "events of this session (id or unique prefix)")
	c.Flags().StringVar(&f.Project, "project", "", "events of this project (directory or key)")
	c.Flags().StringVar(&f.Match, "match", "", "events that hold this text, letter by letter")
	c.Flags().StringVar(&before, "before", "", "events before this day (2026-01-31) or time (RFC 3339)")
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

func (a *app) forget(ctx context.Context, f forgetFlags) error {
	return a.alone(ctx, func(lock *ownership.Lock) error {
		var victims []rebuild.Victims
		n := 0
		err := a.toForget(ctx, lock, &f.Selection, func(log *journal.Log) (err error) {
			victims, n, err = f.Look(ctx, log)
			return err
		})
		if err != nil {
			return err
		}
		a.printVictims(victims)
		aside, err := f.Aside(a.dir)
		if err != nil {
			return err
		}
		runs, err := a.runsNamed(f.Selection)
		if err != nil {
			return err
		}
		found := counted(n, "event")
		if len(aside) > 0 {
			found += ", " + counted(len(aside), "file") + " set aside from the spool"
		}
		fmt.Fprintln(a.out, found)
		if n+len(aside)+len(runs) == 0 || f.dryRun {
			return nil
		}
		for _, path := range runs {
			fmt.Fprintf(a.out, "outputs of a run to be removed: %s\n", path)
		}
		for _, path := range rebuild.Suspects(a.dir) {
			fmt.Fprintf(a.out, "copy to be removed: %s\n", path)
		}
		if err := a.confirm(ctx, f.yes, "Remove them for good?", "journal forget --yes …"); err != nil {
			return err
		}
		if err := rebuild.RemoveAll(append(aside, runs...)); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		show, end := a.progress("rebuilding")
		defer end()
		r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{Reason: f.Reason(), Forget: f.Names, Progress: show, Logger: a.logger()})
		if errors.Is(err, rebuild.ErrDamaged) {
			return withHint(err, "journal repair")
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "forgotten: %s\n", counted(r.Forgotten, "event"))
		a.note("the transcripts and backups that hold it are not touched: journal import and restore-backup would bring it back")
		return nil
	})
}

// shownVictims is how many sessions are shown of those that lose something.
const shownVictims = 10

// printVictims shows what is to be removed, so that a person sees what they are about to
// lose.
func (a *app) printVictims(all []rebuild.Victims) {
	a.table(func(row func(...any)) {
		for _, v := range all[:min(len(all), shownVictims)] {
			what := string(v.First.Type)
			if view, err := events.ViewOf(v.First); err == nil {
				what += " " + gist(view.Data, false)
			}
			row(journal.ShortID(v.Session), v.Project, counted(v.Events, "event"), text.CutColumns(what, 60))
		}
	})
	if more := len(all) - shownVictims; more > 0 {
		fmt.Fprintf(a.out, "and %s\n", counted(more, "more session"))
	}
}

// toForget looks at a log with everything in it that waits in the spool, and completes the session
// and project that were given.
func (a *app) toForget(ctx context.Context, lock *ownership.Lock, s *rebuild.Selection, look func(*journal.Log) error) (err error) {
	o, err := service.Open(ctx, lock, a.ownerConfig())
	if err != nil {
		return mendable(err)
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if err := o.Drain(ctx); err != nil {
		return err
	}
	if s.Session != "" {
		if s.Session, err = a.sessionToForget(ctx, o.Log(), s.Session); err != nil {
			return err
		}
	}
	if s.Project != "" {
		s.Project = a.projectKey(s.Project)
	}
	err = look(o.Log())
	if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
		err = withHint(err, "journal repair")
	}
	return err
}

// sessionToForget gives the id of a session that is named. Here a whole id means what has it, also
// where an agent told of a longer one.
func (a *app) sessionToForget(ctx context.Context, log *journal.Log, given string) (string, error) {
	all, err := log.SessionsAtHome(ctx)
	if err != nil {
		return "", err
	}
	s, err := a.sessionNamed(ctx, log, given)
	if s.ID == given || !slices.ContainsFunc(all, func(s journal.Session) bool { return s.ID == given }) {
		return s.ID, err
	}
	if err == nil {
		title := text.CutColumns(a.title(ctx, log, s.Project, s.ID), titleColumns)
		a.note(fmt.Sprintf("this is of session %s alone; not of %s (%s), whose id begins alike", given, s.ID, title))
	}
	return given, nil
}

// confirm asks a person, who has to say yes.
func (a *app) confirm(ctx context.Context, yes bool, question, again string) error {
	if yes {
		return nil
	}
	if !term.IsTerminal(int(a.in.Fd())) {
		return withHint(errors.New("nobody is there to confirm"), again)
	}
	said, err := a.yes(ctx, question)
	if said || err != nil {
		return err
	}
	return errors.New("not confirmed; nothing is done")
}

// yes asks on the terminal, and takes anything but a yes for a no.
func (a *app) yes(ctx context.Context, question string) (bool, error) {
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	line, _ := bufio.NewReader(a.stdin(ctx)).ReadString('\n') // an end is no answer
	answer := strings.ToLower(strings.TrimSpace(line))
	return answer == "y" || answer == "yes", ctx.Err()
}
