// Package look has the verbs that show what happened: events, sessions, states, recoveries, and what compactions
// lost.
package look

import (
	"context"
	"iter"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/events"
	"journal/journal"
)

// logFlags are the choices of journal log.
type logFlags struct {
	cli.Selection
	since, until   cli.Moment
	last           int
	follow, echoes bool
	all            bool // samples of usage too
	details        bool
}

// shownEvents is how many events `journal log` shows when nobody says how many.
const shownEvents = 40

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:   "log",
		Short: "the newest events, live with -f",
		Long: `Prints the newest 40 events of the log, oldest first, one per line; -n 0 gives all. With -f it
goes on as they come, until it is interrupted, also when another process takes the log over.
With --json every line is one object with stable keys, and all events are given unless -n says
otherwise. Second reports of one fact (double-wired hooks) are left out unless --echoes is
given, samples of how full the context is (half of all events) unless --all, --json or their type is,
and ids and digests unless -v is. Times are those of the reporters: "2 h", "3d", a date
or a time.

Exit codes: 0; 1 failure; 2 usage; 3 events are missing that no copy has.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if f.Type != "" && !cli.DeclaredType(events.Type(f.Type)) {
				return cli.Usage(c, cli.UnknownType(f.Type))
			}
			if !c.Flags().Changed("lines") {
				f.last = shownEvents
				if a.AsJSON {
					f.last = 0
				}
			}
			f.all = f.all || a.AsJSON || f.Type != ""
			return printLog(c.Context(), a, f)
		},
	}
	c.Flags().StringVar(&f.Session, "session", "", "only this session (id or unique prefix)")
	c.Flags().StringVar(&f.Project, "project", "", "only this project (directory or key)")
	c.Flags().StringVar(&f.Type, "type", "", "only this type; journal events lists them")
	c.Flags().Var(&f.since, "since", "only events from then on: yesterday, 2h (journal help times)")
	c.Flags().Var(&f.until, "until", "only events before then")
	cli.CountFlag(c, &f.last, "lines", "n", shownEvents, 0, cli.MaxCount, "only so many, the newest; 0 is all")
	c.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on as events come")
	c.Flags().BoolVarP(&f.details, "verbose", "v", false, "ids and digests too")
	a.JSONLinesFlag(c)
	cli.TeamFlag(a, c)
	c.Flags().BoolVar(&f.all, "all", false, "also samples of how full the context is")
	c.Flags().BoolVar(&f.echoes, "echoes", false, "also second reports of one fact")
	return c
})

// printLog prints what is there, and follows the log from there on: through the next
// owner when the one it asks leaves.
func printLog(ctx context.Context, a *cli.App, f logFlags) error {
	if f.follow && a.Colleague != "" {
		return followTeam(ctx, a, f)
	}
	after, started := uint64(0), false
	for {
		err := a.Reading(ctx, func(log *journal.Log) error {
			sel, err := cli.Selectors(ctx, a, log, f.Selection)
			if err != nil {
				return err
			}
			if !started {
				if after, err = printNewest(ctx, a, log, f, sel); err != nil {
					return cli.Damaged(err)
				}
				started = true
			}
			if !f.follow {
				return nil
			}
			return printEvents(a, f, log.Follow(ctx, after, sel...), &lossMarks{}, func(e events.Envelope) { after = e.Seq })
		})
		switch {
		case err == nil || ctx.Err() != nil:
			return nil
		case !started || !f.follow || !cli.ConnectionLost(err):
			return err
		}
	}
}

// printNewest prints what is in the log now, and gives the sequence that it goes up to.
func printNewest(ctx context.Context, a *cli.App, log *journal.Log, f logFlags, sel []events.Selector) (last uint64, err error) {
	st, err := log.Stats(ctx)
	if err != nil {
		return 0, err
	}
	marks, err := marksOf(ctx, a, log)
	if err != nil {
		return 0, err
	}
	if f.last == 0 {
		err := printEvents(a, f, log.Events(ctx, events.Span{Until: st.Last}, sel...), marks, nil)
		marks.before(st.Last + 1)
		return st.Last, err
	}
	newest, err := newestOf(ctx, log, f, sel, st.Last)
	if err != nil {
		return 0, err
	}
	if len(newest) > 0 {
		marks.after(newest[0].Seq)
	} else if f.Project != "" {
		if err := namesProject(ctx, a, log, f.Project); err != nil {
			return 0, err
		}
	}
	for _, e := range newest {
		if err := printAt(a, marks, e, f.details); err != nil {
			return 0, err
		}
	}
	if len(newest) > 0 {
		marks.before(st.Last + 1)
	}
	if !a.AsJSON {
		cli.NoteSessions(ctx, a, log, newest)
	}
	return st.Last, nil
}

// namesProject says what is wrong with a flag that names no project of the log.
func namesProject(ctx context.Context, a *cli.App, log *journal.Log, flag string) error {
	table, err := cli.Catalogue(ctx, a, log)
	if err != nil {
		return err
	}
	return knownProject(a, table, flag)
}

// newestOf gives the newest events that are wanted, up to a sequence. It looks at ever
// longer stretches before it, so that a long log costs no more than what is shown of it.
func newestOf(ctx context.Context, log *journal.Log, f logFlags, sel []events.Selector, until uint64) ([]events.Envelope, error) {
	var newest []events.Envelope
	for width := uint64(4 * f.last); until > 0 && len(newest) < f.last; width *= 4 {
		after := until - min(until, width)
		var found []events.Envelope
		for e, err := range log.Events(ctx, events.Span{After: after, Until: until}, sel...) {
			if err != nil {
				return nil, err
			}
			if f.wants(e) {
				found = append(found, e)
			}
		}
		newest, until = append(found, newest...), after
	}
	return newest[max(0, len(newest)-f.last):], nil
}

// printEvents prints the events that are wanted and tells each what was seen.
func printEvents(a *cli.App, f logFlags, all iter.Seq2[events.Envelope, error], marks *lossMarks, each func(events.Envelope)) error {
	for e, err := range all {
		if err != nil {
			return cli.WithHint(err, "journal status")
		}
		if f.wants(e) {
			if err := printAt(a, marks, e, f.details); err != nil {
				return err
			}
		}
		if each != nil {
			each(e)
		}
	}
	return nil
}

// wants says whether an event is to be shown, as far as no selector says it.
func (f logFlags) wants(e events.Envelope) bool {
	return (e.EchoOf == 0 || f.echoes) && (f.all || e.Type != events.TypeOf[events.UsageSampled]()) &&
		(f.since.IsZero() || !e.Time().Before(f.since.From)) && (f.until.IsZero() || e.Time().Before(f.until.To))
}
