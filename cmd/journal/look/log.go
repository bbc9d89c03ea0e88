// Package look has the verbs that show the log: events, sessions, states, recovery texts, and what compactions lost.
package look

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/copies"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
	"journal/replay"
)

// logFlags are the flags of journal log.
type logFlags struct {
	cli.Selection
	since, until   cli.Moment
	last           int // number of events to print, 0 for all
	follow, echoes bool
	all            bool // print samples of usage, too
}

// shownEvents is the default number of events in journal log.
const shownEvents = 40

var _ = cli.Verb(cli.Looking, func(a *cli.App) *cobra.Command {
	var f logFlags
	c := cli.NewCommand("log", "the newest events, live with -f",
		`Prints the newest 40 events of the log, oldest first, one per line; -n 0 prints all. With -f it
goes on with new events until it is interrupted. With --json every line is one object with stable keys,
and all events are printed unless -n is given.

Left out are second reports of one fact (from hooks that are configured twice) without --echoes, samples of
how full the context is (half of all events) without --all, --json or their --type, and ids and digests
without --json.

Exit codes: 0; 1 failure; 2 usage; 3 events are missing that no copy has.`,
		func(c *cobra.Command, _ []string) error {
			if err := cli.CheckType(f.Type); err != nil {
				return cli.Usage(err)
			}
			if f.follow && a.Colleague != "" {
				return cli.Usage(errors.New("--follow and --team exclude each other; journal ui --team follows what others share"))
			}
			if a.AsJSON && !c.Flags().Changed("lines") {
				f.last = 0
			}
			f.all = f.all || a.AsJSON || f.Type != ""
			return printLog(c.Context(), a, f)
		})
	c.Flags().StringVar(&f.Session, "session", "", "only this session (id or unique prefix)")
	c.Flags().StringVar(&f.Project, "project", "", "only this project (directory or key)")
	c.Flags().StringVar(&f.Type, "type", "", "only this type; journal events lists them")
	c.Flags().Var(&f.since, "since", "only events since: yesterday, 2h (journal help times)")
	c.Flags().Var(&f.until, "until", "only events before this time")
	cli.CountFlag(c, &f.last, "lines", "n", shownEvents, 0, cli.MaxCount, "number of events, the newest; 0 is all")
	c.Flags().BoolVarP(&f.follow, "follow", "f", false, "go on with new events")
	c.Flags().BoolVar(&f.all, "all", false, "also samples of how full the context is")
	c.Flags().BoolVar(&f.echoes, "echoes", false, "also second reports of one fact")
	return cli.TeamFlag(a, a.JSONLinesFlag(c))
})

// printLog prints the events of the log. With -f it then prints new events, and connects to the next owner when the present one
// leaves.
func printLog(ctx context.Context, a *cli.App, f logFlags) error {
	after, started := uint64(0), false
	for {
		err := a.ReadPastHoles(ctx, func(log *journal.Log) error {
			sel, err := cli.Selectors(ctx, a, log, f.Selection)
			if err != nil {
				return err
			}
			if !started || !f.follow { // with --team, which excludes -f, this function prints one log after the other
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
		case err == nil, f.follow && ctx.Err() != nil:
			return nil
		case !started || !f.follow || !journal.OwnerLeft(err):
			return err
		}
	}
}

// printNewest prints the newest f.last of the wanted events that are in the log now; all if f.last is 0. It returns the last
// sequence of the log.
func printNewest(ctx context.Context, a *cli.App, log *journal.Log, f logFlags, sel []events.Selector) (last uint64, err error) {
	st, err := log.Stats(ctx)
	if err != nil {
		return 0, err
	}
	marks, err := marksOf(ctx, a, log)
	if err != nil {
		return 0, err
	}
	if marks.rewinds, err = replay.Rewinds(ctx, log, "", "", st.Last); err != nil {
		return 0, cli.Damaged(err)
	}
	if f.last == 0 {
		err = printEvents(a, f, log.Events(ctx, events.Span{Until: st.Last}, sel...), marks, nil)
		marks.printBefore(st.Last + 1) // after an error too
	} else {
		err = printLast(ctx, a, log, f, sel, st.Last, marks)
	}
	if err != nil {
		return st.Last, err
	}
	return st.Last, noteNone(ctx, a, log, f, marks)
}

// printLast prints the newest f.last of the wanted events up to a sequence, and the losses since the first of them; none
// without such an event.
func printLast(ctx context.Context, a *cli.App, log *journal.Log, f logFlags, sel []events.Selector, until uint64, marks *lossMarks) error {
	newest, err := newestOf(ctx, log, f, sel, until, !a.AsJSON)
	if err != nil {
		return err
	}
	first := until + 1
	for _, e := range newest {
		first = min(first, e.Seq)
	}
	marks.left = slices.DeleteFunc(marks.left, func(l projections.Loss) bool { return l.Last < first })
	for _, e := range newest {
		if err := printAt(a, marks, e); err != nil {
			return err
		}
	}
	marks.printBefore(until + 1)
	if !a.AsJSON {
		cli.NoteSessions(ctx, a, log, newest)
	}
	return nil
}

// noteNone ends a list in which nothing was printed. If a flag names a project that the log does not know, it returns an error.
// Otherwise it prints a note, except with --json.
func noteNone(ctx context.Context, a *cli.App, log *journal.Log, f logFlags, m *lossMarks) error {
	if m.shown || a.AsJSON && a.Colleague != "" { // a colleague's log may have another name for the project
		return nil
	}
	if err := a.CheckProject(ctx, log, f.Project); err != nil || a.AsJSON {
		return err
	}
	message := "no event matches"
	if f.Selection == (cli.Selection{}) && f.since.IsZero() && f.until.IsZero() {
		message = "no events yet"
	}
	fmt.Fprintln(a.Err, message)
	return nil
}

// maxReadByTime bounds newestOf: after so many wanted events it takes no further step.
const maxReadByTime = 1 << 16

// newestOf returns the newest f.last wanted events up to a sequence. It reads backwards in growing steps, so that the cost
// depends on the number of events that are shown. With byTime it returns those that happened last: imported events are older
// than their places in the log, so it reads until it has f.last events that were not imported, or maxReadByTime events.
func newestOf(ctx context.Context, log *journal.Log, f logFlags, sel []events.Selector, until uint64, byTime bool) ([]events.Envelope, error) {
	latest := func(all []events.Envelope) []events.Envelope { // the last f.last of some events
		if byTime {
			slices.SortStableFunc(all, func(a, b events.Envelope) int { return cmp.Compare(a.At, b.At) })
		}
		return slices.Delete(all, 0, max(0, len(all)-f.last))
	}
	var newest []events.Envelope
	read, inOrder := 0, 0 // numbers of wanted events: all, and with byTime those that were not imported
	for width := uint64(4 * f.last); until > 0 && inOrder < f.last && read < max(maxReadByTime, f.last); width *= 4 {
		after := until - min(until, width)
		var found []events.Envelope
		for e, err := range log.Events(ctx, events.Span{After: after, Until: until}, sel...) {
			if err != nil {
				return nil, err
			}
			if !f.wants(e) {
				continue
			}
			read++
			if !byTime || !events.Derived(e.ID) {
				inOrder++
			}
			if found = append(found, e); len(found) == 4*f.last {
				found = latest(found) // so that a long step needs little memory
			}
		}
		newest, until = latest(append(found, newest...)), after
	}
	return newest, nil
}

// printEvents prints the wanted events. It calls read, if not nil, for every event that it read.
func printEvents(a *cli.App, f logFlags, all iter.Seq2[events.Envelope, error], marks *lossMarks, read func(events.Envelope)) error {
	for e, err := range all {
		if err != nil {
			return cli.WithHint(err, "journal status")
		}
		if f.wants(e) {
			if err := printAt(a, marks, e); err != nil {
				return err
			}
		}
		if read != nil {
			read(e)
		}
	}
	return nil
}

// wants reports whether --echoes, --all, --since and --until let an event be printed.
func (f logFlags) wants(e events.Envelope) bool {
	switch {
	case e.EchoOf != 0 && !f.echoes, e.Type == events.TypeOf[events.UsageSampled]() && !f.all:
		return false
	case !f.since.IsZero() && e.Time().Before(f.since.From):
		return false
	}
	return f.until.IsZero() || e.Time().Before(f.until.To)
}

// printEvent prints one event on a line. takenBack is set if the person took the event back.
func printEvent(a *cli.App, e events.Envelope, takenBack bool) error {
	v, err := events.ViewOf(e)
	if err != nil {
		return err
	}
	if a.AsJSON {
		return a.JSONLines().Encode(v)
	}
	session := journal.ShortID(e.Session)
	if e.Lane != "" {
		session += "/" + journal.ShortID(e.Lane)
	}
	remarks := ""
	if e.EchoOf != 0 {
		remarks = fmt.Sprintf(" (echo of #%d)", e.EchoOf)
	}
	if takenBack {
		remarks += " (taken back)"
	}
	head := fmt.Sprintf("#%-5d %s  %-8s  %-20s ", e.Seq, e.Time().Local().Format("01-02 15:04:05"), session, e.Type)
	line := head + gist(v.Data, a.Width()-text.Columns(head)) + remarks
	if e.Type == events.TypeOf[events.LogForgotten]() { // the time and the session of the forgotten event are removed, too
		line = fmt.Sprintf("#%-5d %26s%-20s removed for good, as are the following numbers without a line", e.Seq, "", e.Type)
	}
	return a.Paint(colourOf(v), text.CutColumns(cli.Flat(line), a.Width()))
}

// gist describes an event: "failed" if it failed, its main member, and its other members. The main member is cut so that all fit
// into a number of columns, unless the others take half of them or more.
func gist(data json.RawMessage, columns int) string {
	head, details := cli.Gist(data)
	tail := cli.OneLine(strings.Join(details, ", "))
	if tail != "" && head != "" {
		tail = "  (" + tail + ")"
	}
	if hasFailed(data) {
		head = "failed: " + head
	}
	head = text.CutUnits(cli.OneLine(head), gistUnits)
	if room := columns - text.Columns(tail); room > columns/2 {
		head = text.CutColumns(head, room)
	}
	return head + tail
}

// gistUnits bounds the main member of an event, in UTF-16 units.
const gistUnits = 200

// hasFailed reports whether the data of an event has the member "failed": true.
func hasFailed(data json.RawMessage) bool { return bytes.Contains(data, []byte(`"failed":true`)) }

// colourOf returns the colour of an event. Failures, prompts, what was decided, and events about the context or the session have
// colours of their own.
func colourOf(v events.View) cli.Colour {
	noun, _, _ := strings.Cut(string(v.Type), ".")
	switch noun {
	case "command", "tool", "turn":
		if hasFailed(v.Data) || v.Type == events.TypeOf[events.TurnFailed]() {
			return cli.Red
		}
	case "prompt":
		return cli.Cyan
	case "decision", "question", "plan":
		return cli.Green
	case "compaction", "context", "recovery", "session":
		return cli.Yellow
	}
	return cli.Plain
}

// lossMarks prints lines about lost events between the events of a list, also in a list of one session or type, because nobody
// knows what the lost events were. It also keeps what printAt needs to print the events. The zero value prints no line about
// lost events.
type lossMarks struct {
	print         func(projections.Loss) // nil: no line about lost events
	left          []projections.Loss     // losses that are not printed yet, in the order of the log
	shown         bool                   // an event or a loss was printed
	lastForgotten bool                   // the last printed event was a log.forgotten
	rewinds       projections.Rewinds
}

// marksOf returns the marks of a log for people. With --json there are none, because log.gap events are printed.
func marksOf(ctx context.Context, a *cli.App, log *journal.Log) (*lossMarks, error) {
	if a.AsJSON {
		return &lossMarks{}, nil
	}
	all, err := cli.LossesOf(ctx, log)
	return &lossMarks{print: func(l projections.Loss) { printLoss(a, l) }, left: all}, err
}

// printBefore prints the losses that begin before a sequence.
func (m *lossMarks) printBefore(seq uint64) {
	for len(m.left) > 0 && m.left[0].First < seq {
		m.print(m.left[0])
		m.left, m.shown = m.left[1:], true
	}
}

// printAt prints the losses up to an event, then the event. For people it leaves out a log.gap, because printBefore prints its
// loss, and every log.forgotten that directly follows another.
func printAt(a *cli.App, m *lossMarks, e events.Envelope) error {
	m.printBefore(e.Seq + 1)
	if m.print != nil && e.Type == events.TypeOf[events.LogGap]() {
		return nil
	}
	forgotten := e.Type == events.TypeOf[events.LogForgotten]()
	if forgotten && m.lastForgotten && m.print != nil {
		return nil // consecutive log.forgotten have one line
	}
	m.shown, m.lastForgotten = true, forgotten
	return printEvent(a, e, m.rewinds.TakenBack(e.Meta, e.Lane))
}

// printLoss prints a loss on a line in the columns of printEvent.
func printLoss(a *cli.App, l projections.Loss) {
	line := fmt.Sprintf("#%-5d %s  %-8s  %-20s %s for good: %s", l.First, l.At.Time().Local().Format("01-02 15:04:05"), "", events.TypeOf[events.LogGap](),
		text.Counted(l.Records, "event is", "events are")+" lost", copies.Describe(l))
	_ = a.Paint(cli.Red, text.CutColumns(cli.Flat(line), a.Width())) // a.Out keeps the error (Print)
}
