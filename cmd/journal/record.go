package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/journal"
	"journal/journal/client"
	"journal/projections"
	"journal/replay"
)

var errEmptyText = errors.New("the text is empty")

// record appends events of a person or a script and prints where they are.
func (a *app) record(c *cobra.Command, t targetFlags, asJSON bool, es ...events.Event) error {
	about := a.about(t)
	if about.Session == "" {
		session, err := a.newestSession(c, t)
		if err != nil {
			return err
		}
		about.Session = session
	}
	receipt, err := a.appender().Append(c.Context(), about, es...)
	if err != nil {
		return notRecorded(err)
	}
	return a.printReceipt(receipt, asJSON)
}

// notRecorded says what to do about an append that did not succeed.
func notRecorded(err error) error {
	if errors.Is(err, client.ErrPaused) {
		return withHint(err, "journal resume")
	}
	return withHint(err, "journal status")
}

// newestSession is the last resort for a verb that was told no session: two
// sessions of one project would otherwise swap what they record, so it is said
// when it is used (DECISIONS 3.5). Without any session the event belongs to the
// project alone.
func (a *app) newestSession(c *cobra.Command, t targetFlags) (string, error) {
	var session string
	err := a.read(c.Context(), func(log *journal.Log) error {
		target, err := a.target(c.Context(), log, t)
		if err == nil {
			session = target.Session
		}
		return err
	})
	if errors.Is(err, errNoSession) || errors.Is(err, errNoJournal) {
		return events.None, nil
	}
	return session, err
}

// state folds one projection of the session that a verb is about, as it is now.
func (a *app) state(c *cobra.Command, t targetFlags, ps ...projections.Projection) (*projections.Fold, error) {
	var f *projections.Fold
	err := a.read(c.Context(), func(log *journal.Log) error {
		target, err := a.target(c.Context(), log, t)
		if errors.Is(err, errNoSession) && slices.ContainsFunc(ps, func(p projections.Projection) bool { return p.Scope() >= projections.Project }) {
			target, err = projections.Target{Project: a.projectKey(t.project), Session: events.None}, nil
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

// printEach prints a list for people, a line each.
func printEach[T any](a *app, list []T, line func(T) string) {
	for _, v := range list {
		fmt.Fprintln(a.out, line(v))
	}
}
