package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/config"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

type replayDoc struct {
	Session string         `json:"session"`
	Project string         `json:"project"`
	Agent   string         `json:"agent"`
	Seq     uint64         `json:"seq"` // the states are those after this sequence
	At      string         `json:"at"`  // own time of the session's newest event up to there
	Events  int            `json:"events"`
	States  map[string]any `json:"states"`
}

var _ = verb(func(a *app) *cobra.Command {
	var t targetFlags
	var seq uint64
	var at, span string
	var names []string
	var asJSON, check bool
	c := &cobra.Command{
		Use:   "replay",
		Short: "the state of a session at any point, derived from the log",
		Long: `Folds the log up to a point and shows the state of every projection there, for one lane
of one session. Without --seq or --at the point is the end of the log.

  journal replay --session 0f3a --seq 120
  journal replay --session 0f3a --at 2026-03-01T14:00:00Z --projection todos --json
  journal replay --session 0f3a --diff 120..240

--diff shows what changed between two points instead, each a sequence or a time; without the
first it is the beginning, without the second the end of the log.

--check replays the log and compares with the state that the owner keeps for its answers: equal,
different (exit 3), or nothing to compare.

--at takes RFC 3339, or "2006-01-02 15:04" in local time. It shows the state before the
first event of the session that is later, by the session's own clock.

Exit codes: 0; 1 failure; 2 usage; 3 damage found.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			ps, err := projectionsNamed(names)
			if err != nil {
				return usage(c, err)
			}
			if at != "" && seq != 0 || span != "" && (at != "" || seq != 0) {
				return usage(c, fmt.Errorf("--seq, --at and --diff name different points"))
			}
			if check && (at != "" || seq != 0 || span != "") {
				return usage(c, fmt.Errorf("--check is of the state as it is now"))
			}
			if span != "" {
				if _, _, err := between(span); err != nil {
					return usage(c, err)
				}
			}
			var when time.Time
			if at != "" {
				if when, err = parseTime(at); err != nil {
					return usage(c, err)
				}
			}
			conf, err := config.Load(a.getenv)
			if err != nil {
				return err
			}
			return a.read(c.Context(), func(log *journal.Log) error {
				target, err := a.target(c.Context(), log, t)
				if err != nil {
					return err
				}
				if check {
					doc, err := a.check(c.Context(), log, target)
					if err != nil {
						return err
					}
					if asJSON {
						err = a.printJSON(doc)
					} else {
						a.printCheck(doc)
					}
					if err == nil && doc.Equal != nil && !*doc.Equal {
						err = exitWith(exitDamage)
					}
					return err
				}
				if span != "" {
					doc, err := a.diff(c.Context(), log, target, conf.Fold(), ps, span)
					switch {
					case err != nil:
						return err
					case asJSON:
						return a.printJSON(doc)
					}
					a.printDiff(doc)
					return nil
				}
				until, err := point(c.Context(), log, target, seq, when)
				if err != nil {
					return err
				}
				doc := replayDoc{Session: target.Session, Project: target.Project, Seq: until}
				f := projections.NewFold(target, conf.Fold(), ps...)
				if until > 0 {
					if err := replay.Forward(c.Context(), log, f, until); err != nil {
						return damaged(err)
					}
				}
				doc.Events, doc.Agent, doc.States = f.Count(), f.Last().Agent, f.States()
				if f.Count() > 0 {
					doc.At = f.Last().Time().Format(time.RFC3339Nano)
				}
				if asJSON {
					return a.printJSON(doc)
				}
				return a.printReplay(doc)
			})
		},
	}
	t.add(c)
	c.Flags().Uint64Var(&seq, "seq", 0, "up to and with this sequence")
	c.Flags().StringVar(&at, "at", "", "up to this time")
	c.Flags().StringVar(&span, "diff", "", "what changed between two points, A..B")
	c.Flags().BoolVar(&check, "check", false, "compare a replay with the state that the owner keeps")
	c.Flags().StringArrayVar(&names, "projection", nil, "only this projection; may be given again")
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return c
})

// point gives the sequence that a replay goes up to.
func point(ctx context.Context, log *journal.Log, t projections.Target, seq uint64, at time.Time) (uint64, error) {
	st, err := log.Stats(ctx)
	if err != nil {
		return 0, err
	}
	switch {
	case seq > st.Last:
		return 0, withHint(fmt.Errorf("there is no event #%d, the log ends at #%d", seq, st.Last), "journal log")
	case seq > 0:
		return seq, nil
	case !at.IsZero():
		return replay.Before(ctx, log, t, at, st.Last)
	}
	return st.Last, nil
}

func projectionsNamed(names []string) ([]projections.Projection, error) {
	if len(names) == 0 {
		return projections.All(), nil
	}
	var ps []projections.Projection
	for _, n := range names {
		p, ok := projections.Named(n)
		if !ok {
			var known []string
			for _, p := range projections.All() {
				known = append(known, p.Name())
			}
			return nil, fmt.Errorf("no projection %q (known: %s)", n, strings.Join(known, ", "))
		}
		ps = append(ps, p)
	}
	return ps, nil
}

func parseTime(s string) (time.Time, error) {
	if t, err := time.Parse(time.RFC3339Nano, s); err == nil {
		return t, nil
	}
	for _, layout := range []string{time.DateTime, "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, time.Local); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("%q is no time (2026-03-01T14:00:00Z, or \"2026-03-01 14:00\" local)", s)
}
