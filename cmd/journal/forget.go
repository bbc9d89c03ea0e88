package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"journal/embedded/ownership"
	"journal/embedded/rebuild"
	"journal/events"
	"journal/journal"
)

var _ = verb(func(a *app) *cobra.Command {
	var f forgetting
	var before string
	c := &cobra.Command{
		Use:   "forget",
		Short: "remove events for good",
		Long: `Removes events from the log, its archive, the spool, and every copy that a repair put aside.
log.forgotten stands in their places and says nothing of them. Several flags together
remove what all of them name. There is no way back.

  journal forget --session 4f1c --dry-run
  journal forget --match 'the name of a customer' --yes
  journal forget --project . --before 2026-01-31

Exit codes: 0; 1 failure, or not confirmed; 2 usage.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.session == "" && f.project == "" && f.match == "" && before == "" {
				return usage(c, errors.New("--session, --project, --match or --before says what to forget"))
			}
			if before != "" {
				var err error
				if f.before, err = parseTime(before); err != nil {
					return usage(c, err)
				}
			}
			if err := a.isThere(); err != nil {
				return err
			}
			return a.forget(c.Context(), f)
		},
	}
	c.Flags().StringVar(&f.session, "session", "", "events of this session (id or unique prefix)")
	c.Flags().StringVar(&f.project, "project", "", "events of this project (directory or key)")
	c.Flags().StringVar(&f.match, "match", "", "events that hold this text, letter by letter")
	c.Flags().StringVar(&before, "before", "", "events before this day (2026-01-31) or time (RFC 3339)")
	c.Flags().BoolVar(&f.yes, "yes", false, "do not ask")
	c.Flags().BoolVar(&f.dryRun, "dry-run", false, "only say how many")
	return c
})

// forgetting is what somebody wants removed.
type forgetting struct {
	session, project, match string
	before                  time.Time
	yes, dryRun             bool
}

// names says whether an event is to be removed.
func (f forgetting) names(e events.Envelope) bool {
	return (f.session == "" || e.Session == f.session) &&
		(f.project == "" || e.Project == f.project) &&
		(f.before.IsZero() || e.Time().Before(f.before)) &&
		(f.match == "" || rebuild.Mentions(e, f.match))
}

// reason names the kind of the request and none of its words.
func (f forgetting) reason() string {
	var kinds []string
	for _, k := range []struct {
		kind  string
		given bool
	}{{"session", f.session != ""}, {"project", f.project != ""}, {"match", f.match != ""}, {"before", !f.before.IsZero()}} {
		if k.given {
			kinds = append(kinds, k.kind)
		}
	}
	return "asked for by " + strings.Join(kinds, ", ")
}

func (a *app) forget(ctx context.Context, f forgetting) error {
	return a.whileNobodyOwns(ctx, func(lock *ownership.Lock) error {
		n, err := a.toForget(ctx, lock, &f)
		if err != nil {
			return err
		}
		aside, err := rebuild.Aside(a.dir, f.words(), f.before)
		if err != nil {
			return err
		}
		copies := rebuild.Suspects(a.dir)
		fmt.Fprintf(a.out, "%d events, %d files set aside from the spool\n", n, len(aside))
		if n+len(aside) == 0 || f.dryRun {
			return nil
		}
		for _, path := range copies {
			fmt.Fprintf(a.out, "copy to be removed: %s\n", path)
		}
		if err := a.confirm(f, "Remove them for good?"); err != nil {
			return err
		}
		if err := rebuild.RemoveAll(aside); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
		show, end := a.progress("rebuilding")
		defer end()
		r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{Reason: f.reason(), Forget: f.names, Progress: show, Logger: a.logger()})
		if errors.Is(err, rebuild.ErrDamaged) {
			return withHint(err, "journal repair")
		}
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "forgotten: %d events\n", r.Forgotten)
		return nil
	})
}

// toForget counts what is to be removed, with everything in the log that waits
// in the spool, and completes the session and project that were given.
func (a *app) toForget(ctx context.Context, lock *ownership.Lock, f *forgetting) (n int, err error) {
	o, err := a.ownLog(ctx, lock, a.ownerConfig())
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, o.Close()) }()
	if err := o.Drain(ctx); err != nil {
		return 0, err
	}
	if f.session != "" {
		t, err := a.target(ctx, o.Log(), targetFlags{session: f.session})
		if err != nil {
			return 0, err
		}
		f.session = t.Session
	}
	if f.project != "" {
		f.project = a.projectKey(f.project)
	}
	for e, err := range o.Log().Events(ctx, events.Span{}) {
		if errors.Is(err, journal.ErrHole) || errors.Is(err, events.ErrMalformed) {
			return n, withHint(err, "journal repair")
		}
		if err != nil {
			return n, err
		}
		if f.names(e) && !rebuild.IsMark(e.Type) {
			n++
		}
	}
	return n, nil
}

// words are what a file that nobody can read may hold of what is to be removed.
func (f forgetting) words() []string {
	var all []string
	for _, w := range []string{f.session, f.project, f.match} {
		if w != "" {
			all = append(all, w)
		}
	}
	return all
}

// confirm asks a person, who has to say yes.
func (a *app) confirm(f forgetting, question string) error {
	if f.yes {
		return nil
	}
	if !term.IsTerminal(int(a.in.Fd())) {
		return withHint(errors.New("nobody is there to confirm"), "journal forget --yes …")
	}
	fmt.Fprintf(a.err, "%s [y/N] ", question)
	line, err := bufio.NewReader(a.in).ReadString('\n')
	if answer := strings.ToLower(strings.TrimSpace(line)); answer == "y" || answer == "yes" {
		return nil
	}
	return cmp.Or(err, errors.New("not confirmed; nothing is removed"))
}
