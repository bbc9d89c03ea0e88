package look

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/cmd/journal/config"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// replayFlags are the flags of journal replay.
type replayFlags struct {
	target cli.TargetFlags
	seq    cli.Ordinal
	at     point
	diff   string
	names  []string
	check  bool
	linked bool
}

// replayDoc is the JSON document of the states of a session.
type replayDoc struct {
	Session string         `json:"session"`
	Project string         `json:"project"`
	Agent   string         `json:"agent"`
	Seq     uint64         `json:"seq"`            // the states are as of this event number
	At      string         `json:"at"`             // time of the session's newest event up to there; empty without events
	Events  int            `json:"events"`         // number of the folded events
	States  map[string]any `json:"states"`         // by the names of projections
	More    string         `json:"more,omitempty"` // the number of decisions that are left out, and the command that shows them

	target projections.Target
}

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	var f replayFlags
	c := cli.NewCommand("replay", "the state of a session at any moment",
		`Shows the states of projections at a point of the log, for one lane of one session. Without --at the
point is the end of the log; --seq 120 is --at '#120'; journal help times shows all forms. A time means
the state before the first later event of the session. Of other sessions' decisions only the newest that
hold are shown; a single --projection is shown whole.

  journal replay --session 0f3a --at before-compaction:2
  journal replay --session 0f3a --at "2026-03-01 14:00" --projection todos
  journal replay --session 0f3a --diff 120..240

--diff shows what changed between two points; by default these are the beginning and the end of the log.
--linked also shows the sessions that this one continues, oldest first. --check replays the log and
compares the result with the state that the owner keeps: equal, different (exit 3), or nothing to compare.

Exit codes: 0; 1 failure; 2 usage; 3 damage found.`,
		func(c *cobra.Command, _ []string) error {
			ps, err := f.parse()
			if err != nil {
				return cli.Usage(err)
			}
			conf, err := config.Load(a.Getenv)
			if err != nil {
				return err
			}
			return a.ReadPastHoles(c.Context(), func(log *journal.Log) error {
				target, err := a.Target(c.Context(), log, f.target)
				wide := func(p projections.Projection) bool { return p.Scope() >= projections.Project }
				if len(f.names) > 0 && slices.ContainsFunc(ps, wide) { // the state of a project needs no session
					target, err = cli.OrProject(c.Context(), a, log, f.target, target, err)
				}
				if err != nil {
					return err
				}
				switch {
				case f.check:
					return showCheck(c.Context(), a, log, target)
				case f.diff != "":
					return showDiff(c.Context(), a, log, target, conf.Fold(), ps, f.diff)
				}
				if f.seq != 0 {
					f.at = pointOf(f.seq)
				}
				until, err := f.at.sequence(c.Context(), log, target)
				if err != nil {
					return err
				}
				if f.linked {
					return showLinked(c.Context(), a, log, target, conf.Fold(), ps, until)
				}
				doc, err := replayed(c.Context(), log, target, conf.Fold(), ps, until)
				switch {
				case err != nil:
					return err
				case a.AsJSON:
					return a.PrintJSON(doc)
				}
				return printReplay(c.Context(), a, log, doc)
			})
		})
	f.target.Add(c)
	c.Flags().Var(&f.seq, "seq", "up to and including this event number")
	c.Flags().Var(&f.at, "at", "up to this point: #120, before-compaction:2, 14:00 (journal help times)")
	c.Flags().StringVar(&f.diff, "diff", "", "what changed between two points, A..B")
	c.Flags().BoolVar(&f.check, "check", false, "compare a replay with the state that the owner keeps")
	c.Flags().BoolVar(&f.linked, "linked", false, "also the sessions that this one continues")
	c.Flags().StringArrayVar(&f.names, "projection", nil, "only this projection; may be given again")
	return cli.TeamFlag(a, a.JSONFlag(c))
})

// parse checks the flags, and returns the projections that they select.
func (f replayFlags) parse() (ps []projections.Projection, err error) {
	pointed := f.at.isSet() || f.seq != 0
	switch {
	case f.at.isSet() && f.seq != 0, f.diff != "" && pointed:
		return nil, errors.New("--seq, --at and --diff exclude each other")
	case f.check && (pointed || f.diff != "" || f.linked || len(f.names) > 0):
		return nil, errors.New("--check compares all present states: it excludes --seq, --at, --diff, --linked and --projection")
	case f.linked && f.diff != "":
		return nil, errors.New("--diff takes one session, and excludes --linked")
	}
	if ps, err = projectionsNamed(f.names); err != nil || f.diff == "" {
		return ps, err
	}
	_, _, err = parsePoints(f.diff)
	return ps, err
}

// othersDecisions bounds the decisions of other sessions shown with the states of one.
const othersDecisions = 20

// trim removes decisions of other sessions from the states, because their number grows with the project. Of those that hold it
// keeps the newest othersDecisions.
func (d *replayDoc) trim() {
	name := projections.Decisions.Name()
	all, ok := d.States[name].(projections.DecisionsState)
	if !ok {
		return
	}
	shown, others, removed := []projections.DecisionState{}, 0, 0
	for decision := range all.Backward() {
		switch own := decision.Session == d.Session; {
		case !own && (others == othersDecisions || !decision.Holds()):
			removed++
			continue
		case !own:
			others++
		}
		shown = append(shown, decision)
	}
	slices.Reverse(shown)
	d.States[name] = shown
	if removed > 0 {
		d.More = fmt.Sprintf("%d more %s of other sessions: journal replay --session %s --projection %s", removed, name, journal.ShortID(d.Session), name)
	}
}

// replayed returns the states of projections up to and including the sequence until.
func replayed(ctx context.Context, log *journal.Log, t projections.Target, c projections.Config, ps []projections.Projection, until uint64) (replayDoc, error) {
	doc := replayDoc{Session: t.Session, Project: t.Project, Seq: until, target: t}
	f := projections.NewFold(t, c, ps...)
	if err := forward(ctx, log, f, until); err != nil {
		return doc, err
	}
	doc.Events, doc.Agent, doc.States = f.Count(), f.Last().Agent, f.States()
	if len(ps) > 1 {
		doc.trim()
	}
	if f.Count() > 0 {
		doc.At = f.Last().Time().Format(time.RFC3339Nano)
	}
	return doc, nil
}

// showLinked prints the states of the sessions that a session continues, then those of the session itself, all up to the same
// sequence.
func showLinked(ctx context.Context, a *cli.App, log *journal.Log, t projections.Target, c projections.Config, ps []projections.Projection, until uint64) error {
	links := projections.NewFold(t, c, projections.Sessions)
	if err := forward(ctx, log, links, until); err != nil {
		return err
	}
	docs := []replayDoc{}
	for _, linked := range projections.Sessions.In(links).Chain(t) {
		doc, err := replayed(ctx, log, linked, c, ps, until)
		if err != nil {
			return err
		}
		docs = append(docs, doc)
	}
	if a.AsJSON {
		return a.PrintJSON(docs)
	}
	for i, doc := range docs {
		if i > 0 {
			fmt.Fprintln(a.Out)
		}
		if err := printReplay(ctx, a, log, doc); err != nil {
			return err
		}
	}
	return nil
}

// projectionsNamed returns the projections with these names; without names all but those that are shown only by name
// (Projection.AllSessions).
func projectionsNamed(names []string) ([]projections.Projection, error) {
	if len(names) == 0 {
		return slices.DeleteFunc(projections.All(), projections.Projection.AllSessions), nil
	}
	var ps []projections.Projection
	for _, n := range names {
		p, ok := projections.Named(n)
		if !ok {
			var known []string
			for _, p := range projections.All() {
				known = append(known, p.Name())
			}
			return nil, fmt.Errorf("no projection %q%s", n, cmp.Or(cli.DidYouMean(n, known), "; journal projections lists them"))
		}
		ps = append(ps, p)
	}
	return ps, nil
}

// printReplay prints states for people.
func printReplay(ctx context.Context, a *cli.App, log replay.Source, d replayDoc) error {
	at := "nothing yet"
	if t, err := time.Parse(time.RFC3339Nano, d.At); err == nil {
		at = t.Local().Format(time.DateTime)
	}
	fmt.Fprintln(a.Out, cli.SessionLine(ctx, a, log, d.target))
	fmt.Fprintf(a.Out, "after #%d (%s), %s\n", d.Seq, at, text.Counted(d.Events, "event"))
	show := cli.StateTextOf(ctx, a, log, d.target)
	var empty []string
	for _, n := range slices.Sorted(maps.Keys(d.States)) {
		b, err := json.Marshal(d.States[n])
		if err != nil {
			return err
		}
		if isZero(n, b) {
			empty = append(empty, n)
			continue
		}
		fmt.Fprintf(a.Out, "\n%s\n", n)
		a.PrintLines(show.Lines(b))
	}
	if len(empty) > 0 {
		fmt.Fprintln(a.Out)
		a.PrintLines(cli.Wrapped("nothing of: "+strings.Join(empty, ", "), cmp.Or(a.Width(), cli.LineColumns)))
	}
	if d.More != "" {
		fmt.Fprintln(a.Out, d.More)
	}
	return nil
}

// isZero reports whether the state of a projection is that of the empty log.
func isZero(name string, state []byte) bool {
	p, _ := projections.Named(name)
	zero, err := json.Marshal(projections.NewFold(projections.Target{}, projections.Config{}, p).States()[name])
	return err == nil && bytes.Equal(zero, state)
}

// forward folds f up to and including a sequence. It folds nothing if f is already there, so 0 folds nothing.
func forward(ctx context.Context, log *journal.Log, f *projections.Fold, until uint64) error {
	if until <= f.Seq() {
		return nil
	}
	return cli.Damaged(replay.Forward(ctx, log, f, until))
}
