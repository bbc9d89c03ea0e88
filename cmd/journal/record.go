package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/projections"
	"journal/replay"
)

var errEmptyText = errors.New("the text is empty")

// recordVerb makes a verb that records one text.
func recordVerb(a *app, use, short, long string, event func(string) events.Event) *cobra.Command {
	var t targetFlags
	c := &cobra.Command{
		Use:     use,
		GroupID: recording,
		Short:   short,
		Long:    long + "\n\nExit codes: 0 durable, 1 refused or not durable, 2 usage.",
		Args:    args(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			text := strings.TrimSpace(strings.Join(args, " "))
			if text == "" {
				return usage(c, errEmptyText)
			}
			return a.record(c, t, event(text))
		},
	}
	t.addNew(c)
	a.jsonFlag(c)
	return offer(c, "heading", "json")
}

// record appends events of a person or a script and prints where they are.
func (a *app) record(c *cobra.Command, t targetFlags, es ...events.Event) error {
	receipt, err := a.recorded(c, t, es...)
	if err != nil {
		return err
	}
	return a.printReceipt(receipt)
}

// recorded appends events of a person or a script and says where they are.
func (a *app) recorded(c *cobra.Command, t targetFlags, es ...events.Event) (client.Receipt, error) {
	about := a.about(t)
	var err error
	if about.Session, err = a.recordsIn(c, t); err != nil {
		return client.Receipt{}, err
	}
	receipt, err := a.appender().Append(c.Context(), about, es...)
	if err != nil {
		return receipt, notRecorded(err)
	}
	return receipt, nil
}

// notRecorded says what to do about an append that did not succeed.
func notRecorded(err error) error { return withHint(err, "journal status") }

// newestSession is the last resort for a verb that was told no session: two
// sessions of one project would otherwise swap what they record, so it is said
// when it is used. Without any session the event belongs to the
// project alone.
func newestSession(a *app, c *cobra.Command, t targetFlags) (string, error) {
	var session string
	err := a.read(c.Context(), func(log *journal.Log) error {
		target, err := a.target(c.Context(), log, t)
		if err == nil {
			session = target.Session
		}
		return err
	})
	if errors.Is(err, journal.ErrNoSession) || errors.Is(err, errNoJournal) {
		return events.None, nil
	}
	return session, err
}

// state folds one projection of the session that a verb is about, as it is now.
func (a *app) state(c *cobra.Command, t targetFlags, ps ...projections.Projection) (*projections.Fold, error) {
	var f *projections.Fold
	err := a.read(c.Context(), func(log *journal.Log) error {
		target, err := a.target(c.Context(), log, t)
		if slices.ContainsFunc(ps, func(p projections.Projection) bool { return p.Scope() >= projections.Project }) {
			target, err = orProject(a, t, target, err)
		}
		if err != nil {
			return err
		}
		f = projections.NewFold(target, projections.Config{}, ps...)
		return damaged(replay.Forward(c.Context(), log, f, 0))
	})
	if err != nil {
		return nil, err
	}
	return f, nil
}

// orProject is the project alone where there is no session that somebody else names.
func orProject(a *app, t targetFlags, target projections.Target, err error) (projections.Target, error) {
	if errors.Is(err, journal.ErrNoSession) && a.mayBegin(t) {
		return projections.Target{Project: a.projectKey(t.project), Session: events.None}, nil
	}
	return target, err
}

// about says what events of a person or a script belong to.
func (a *app) about(t targetFlags) client.About {
	return client.About{Session: a.sessionGiven(t.session), Lane: t.lane, Root: a.root(t.project)}
}

// printReceipt says where events are.
func (t *Terminal) printReceipt(r client.Receipt) error {
	doc := struct {
		Seqs    []uint64 `json:"seqs"`
		Spooled bool     `json:"spooled"`
	}{append([]uint64{}, r.Seqs...), r.Spooled}
	return t.print(doc, func() {
		if r.Spooled {
			fmt.Fprintln(t.out, "spooled")
			return
		}
		var seqs []string
		for _, s := range r.Seqs {
			seqs = append(seqs, fmt.Sprintf("#%d", s))
		}
		fmt.Fprintln(t.out, strings.Join(seqs, " "))
	})
}

// sendMany makes a request of many events durable; it waits for the fsync of a whole
// batch.
func sendMany(ctx context.Context, a *app, r wire.Request) (client.Receipt, error) {
	receipt, err := a.appender().Send(ctx, r, 30*time.Second)
	if err != nil {
		return receipt, notRecorded(err)
	}
	return receipt, nil
}
