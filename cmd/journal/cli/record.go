package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/wire"
	"journal/journal/wire/client"
	"journal/projections"
	"journal/replay"
)

// ErrEmptyText means that the text that a verb needs is empty.
var ErrEmptyText = errors.New("the text is empty")

// RecordVerb makes a verb that records one event. event makes it of the verb's arguments, joined to one text, which may not be
// empty.
func RecordVerb(a *App, use, short, long string, event func(string) events.Event) *cobra.Command {
	var t TargetFlags
	c := NewCommand(use, short, long,
		func(c *cobra.Command, args []string) error {
			recorded := strings.TrimSpace(strings.Join(args, " "))
			if recorded == "" {
				return Usage(ErrEmptyText)
			}
			return a.Record(c, t, event(recorded))
		})
	t.AddNew(c)
	a.JSONFlag(c)
	return AllowAgents(c, "heading", "json")
}

// Record appends events to the session of the flags, and prints their receipt.
func (a *App) Record(c *cobra.Command, t TargetFlags, es ...events.Event) error {
	receipt, err := a.Append(c, t, es...)
	if err != nil {
		return err
	}
	return a.PrintReceipt(receipt)
}

// Receipt is the receipt of recorded events, with their session.
type Receipt struct {
	client.Receipt
	session string // "": no session is printed; events.None: the events belong to no session
}

// Append appends events to the session of the flags, and returns their receipt.
func (a *App) Append(c *cobra.Command, t TargetFlags, es ...events.Event) (Receipt, error) {
	about := a.About(t)
	var err error
	if about.Session, err = a.recordingSession(c, t); err != nil {
		return Receipt{}, err
	}
	receipt, err := a.Appender().Append(c.Context(), about, es...)
	return Receipt{receipt, about.Session}, NotRecorded(err)
}

// NotRecorded adds a hint to the error of an append; nil stays nil.
func NotRecorded(err error) error { return WithHint(err, "journal status") }

// newestSession returns the newest session of the project, for a verb that records without the name of a session. It prints a
// note with the session, because that may be the wrong one if the project has two. If the project has no session, it returns
// events.None: the event belongs only to the project.
func newestSession(a *App, c *cobra.Command, t TargetFlags) (string, error) {
	var session string
	err := a.Read(c.Context(), func(log *journal.Log) error {
		target, err := a.Target(c.Context(), log, t)
		session = target.Session
		return err
	})
	if errors.Is(err, journal.ErrNoSession) || errors.Is(err, ErrNoJournal) {
		return events.None, nil
	}
	return session, err
}

// State folds projections up to the end of the log, for the session of the flags. If there is no such session and the log need
// not know it (mayBegin), it folds them for the project alone.
func (a *App) State(c *cobra.Command, t TargetFlags, ps ...projections.Projection) (*projections.Fold, error) {
	var f *projections.Fold
	err := a.Read(c.Context(), func(log *journal.Log) error {
		mainLane := t
		if a.mayBegin(t) {
			mainLane.Lane = "" // the verb may be the first to record in that lane
		}
		target, err := a.Target(c.Context(), log, mainLane)
		target.Lane = t.Lane
		if target, err = OrProject(c.Context(), a, log, t, target, err); err != nil {
			return err
		}
		f = projections.NewFold(target, projections.Config{}, ps...)
		return Damaged(replay.Forward(c.Context(), log, f, 0))
	})
	return f, err
}

// StateOf returns the state of one projection, as State folds it.
func StateOf[S any](a *App, c *cobra.Command, t TargetFlags, p *projections.Def[S]) (state S, err error) {
	f, err := a.State(c, t, p)
	if err != nil {
		return state, err
	}
	return p.In(f), nil
}

// OrProject returns target and err, the results of Target. But if err is that there is no session, and the log need not know it
// (mayBegin), it returns the project alone. A project that a flag names must then be a path that exists, or be known to the log,
// so that a typo does not look like an empty project.
func OrProject(ctx context.Context, a *App, log *journal.Log, t TargetFlags, target projections.Target, err error) (projections.Target, error) {
	if !errors.Is(err, journal.ErrNoSession) || !a.mayBegin(t) {
		return target, err
	}
	if _, missing := os.Stat(t.Project); missing != nil {
		if err := a.CheckProject(ctx, log, t.Project); err != nil {
			return target, err
		}
	}
	return projections.Target{Project: a.ProjectIn(ctx, log, t.Project), Session: events.None}, nil
}

// NothingYet reports whether an error of State only means that the verb is the first to record in its project or session.
func NothingYet(a *App, t TargetFlags, err error) bool {
	return a.mayBegin(t) && (errors.Is(err, ErrNoJournal) || errors.Is(err, ErrNoProject) || errors.Is(err, journal.ErrNoSession))
}

// About returns the session, lane and project that the flags and the environment name, for events to append.
func (a *App) About(t TargetFlags) client.About {
	return client.About{Session: a.SessionGiven(t.Session), Lane: t.Lane, Root: a.Root(t.Project)}
}

// PrintReceipt prints the numbers of recorded events and their session, or that they wait in the spool.
func (t *Terminal) PrintReceipt(r Receipt) error {
	doc := struct {
		Seqs    []uint64 `json:"seqs"`
		Spooled bool     `json:"spooled"`
	}{append([]uint64{}, r.Seqs...), r.Spooled}
	return t.Print(doc, func() {
		if r.Spooled {
			fmt.Fprintln(t.Out, "spooled")
			return
		}
		var words []string
		for _, s := range r.Seqs {
			words = append(words, fmt.Sprintf("#%d", s))
		}
		switch r.session {
		case "":
		case events.None:
			words = append(words, "recorded in the project, in no session")
		default:
			words = append(words, "recorded in session", journal.ShortID(r.session))
		}
		fmt.Fprintln(t.Out, strings.Join(words, " "))
	})
}

// SendMany appends a request with many events. It waits up to 30 s for the owner, which syncs them together.
func SendMany(ctx context.Context, a *App, r wire.Request) (client.Receipt, error) {
	receipt, err := a.Appender().Send(ctx, r, 30*time.Second)
	return receipt, NotRecorded(err)
}

// EntriesNamed returns the entries of working notes with these ids, newest first, and the ids that no entry has.
func EntriesNamed(flow projections.FlowState, ids []string) (chosen []projections.FlowEntry, others []string) {
	others = slices.Clone(ids)
	for _, e := range flow.Entries {
		if slices.Contains(others, e.ID) {
			chosen = append(chosen, e)
			others = slices.DeleteFunc(others, func(id string) bool { return id == e.ID })
		}
	}
	return chosen, others
}

// EntryLine shows an entry of working notes on a line.
func EntryLine(e projections.FlowEntry) string {
	title, where := cmp.Or(e.Heading, e.Text), cmp.Or(e.File, "a note")
	if e.DroppedSeq != 0 {
		where = fmt.Sprintf("no more in %s since #%d", where, e.DroppedSeq)
	}
	return fmt.Sprintf("%-12s %s (%s)", e.ID, text.CutUnits(OneLine(title), 100), where)
}
