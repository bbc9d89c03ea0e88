package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal"
)

// logFlags are the choices of journal log.
type logFlags struct {
	session, project, typ string
	since, until          moment
	last                  int
	follow, echoes        bool
	details               bool
}

// shownEvents is how many events `journal log` shows when nobody says how many.
const shownEvents = 40

var _ = verb(func(a *app) *cobra.Command {
	var f logFlags
	c := &cobra.Command{
		Use:     "log",
		GroupID: looking,
		Short:   "the newest events, live with -f",
		Long: `Prints the newest 40 events of the log, oldest first, one per line; -n 0 gives all. With -f it
goes on as they come, until it is interrupted, also when another process takes the log over.
With --json every line is one object with stable keys, and all events are given unless -n says
otherwise. Second reports of one fact (double-wired hooks) are left out unless --echoes is
given, and ids and digests unless -v is. Times are those of the reporters: "2 h", "3d", a date
or a time.

Exit codes: 0; 1 failure; 2 usage; 3 events are missing that no copy has.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if f.typ != "" && !declaredType(events.Type(f.typ)) {
				return usage(c, unknownType(f.typ))
			}
			if !c.Flags().Changed("lines") {
				f.last = shownEvents
				if a.asJSON {
					f.last = 0
				}
			}
			return a.printLog(c.Context(), f)
		},
	}
	c.Flags().StringVar(&f.session, "session", "", "only this session (id or unique prefix)")
	c.Flags().StringVar(&f.project, "project", "", "only this project (directory or key)")
	c.Flags().StringVar(&f.typ, "type", "", "only this type; journal events lists them")
	c.Flags().Var(&f.since, "since", "only events from then on")
	c.Flags().Var(&f.until, "until", "only events before then")
	countFlag(c, &f.last, "lines", "n", shownEvents, 0, maxCount, "only so many, the newest; 0 is all")
	c.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on as events come")
	c.Flags().BoolVarP(&f.details, "verbose", "v", false, "ids and digests too")
	a.jsonLinesFlag(c)
	a.teamFlag(c)
	c.Flags().BoolVar(&f.echoes, "echoes", false, "also second reports of one fact")
	return c
})

// printLog prints what is there, and follows the log from there on: through the next
// owner when the one it asks leaves.
func (a *app) printLog(ctx context.Context, f logFlags) error {
	if f.follow && a.colleague != "" {
		return a.followTeam(ctx, f)
	}
	after, started := uint64(0), false
	for {
		err := a.reading(ctx, func(log *journal.Log) error {
			sel, err := a.selectors(ctx, log, f)
			if err != nil {
				return err
			}
			if !started {
				if after, err = a.printNewest(ctx, log, f, sel); err != nil {
					return damaged(err)
				}
				started = true
			}
			if !f.follow {
				return nil
			}
			return a.printEvents(f, log.Follow(ctx, after, sel...), &lossMarks{}, func(e events.Envelope) { after = e.Seq })
		})
		switch {
		case err == nil || ctx.Err() != nil:
			return nil
		case !started || !f.follow || !connectionLost(err):
			return err
		}
	}
}

// connectionLost says whether an error means that the owner left.
func connectionLost(err error) bool {
	return errors.Is(err, nats.ErrConnectionClosed) || errors.Is(err, jetstream.ErrServerShutdown) ||
		errors.Is(err, jetstream.ErrConnectionClosed) || errors.Is(err, jetstream.ErrMsgIteratorClosed)
}

// printNewest prints what is in the log now, and gives the sequence that it goes up to.
func (a *app) printNewest(ctx context.Context, log *journal.Log, f logFlags, sel []events.Selector) (last uint64, err error) {
	st, err := log.Stats(ctx)
	if err != nil {
		return 0, err
	}
	marks, err := a.lossMarks(ctx, log)
	if err != nil {
		return 0, err
	}
	if f.last == 0 {
		err := a.printEvents(f, log.Events(ctx, events.Span{Until: st.Last}, sel...), marks, nil)
		marks.before(st.Last + 1)
		return st.Last, err
	}
	newest, err := newestOf(ctx, log, f, sel, st.Last)
	if err != nil {
		return 0, err
	}
	if len(newest) > 0 {
		marks.after(newest[0].Seq)
	}
	for _, e := range newest {
		if err := a.printAt(marks, e, f.details); err != nil {
			return 0, err
		}
	}
	if len(newest) > 0 {
		marks.before(st.Last + 1)
	}
	if !a.asJSON {
		a.noteSessions(ctx, log, newest)
	}
	return st.Last, nil
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
func (a *app) printEvents(f logFlags, all iter.Seq2[events.Envelope, error], marks *lossMarks, each func(events.Envelope)) error {
	for e, err := range all {
		if err != nil {
			return withHint(err, "journal status")
		}
		if f.wants(e) {
			if err := a.printAt(marks, e, f.details); err != nil {
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
	return (e.EchoOf == 0 || f.echoes) &&
		(f.since.IsZero() || !e.Time().Before(f.since.Time)) && (f.until.IsZero() || e.Time().Before(f.until.Time))
}

// selectors makes the selectors of the flags; none is everything.
func (a *app) selectors(ctx context.Context, log *journal.Log, f logFlags) ([]events.Selector, error) {
	sel := events.Selector{Type: events.Type(f.typ)}
	if f.project != "" {
		sel.Project = a.projectKey(f.project)
	}
	if f.session != "" {
		t, err := a.target(ctx, log, targetFlags{session: f.session})
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

func declaredType(typ events.Type) bool {
	return slices.ContainsFunc(events.Declared(), func(d events.Declaration) bool { return d.Name == typ })
}

// unknownType names the declared types that a mistyped one may have meant.
func unknownType(typ string) error {
	var names []string
	for _, d := range events.Declared() {
		names = append(names, string(d.Name))
	}
	return fmt.Errorf("no event has the type %q%s", typ, cmp.Or(didYouMean(typ, names), " (journal events lists them)"))
}

// moment is a flag's point in time: a date, a time, or how long ago.
type moment struct{ time.Time }

func (m *moment) String() string {
	if m.IsZero() {
		return ""
	}
	return m.Local().Format(time.DateTime)
}

func (m *moment) Type() string { return "time" }

func (m *moment) Set(s string) (err error) {
	m.Time, err = momentAt(s, time.Now())
	return err
}
