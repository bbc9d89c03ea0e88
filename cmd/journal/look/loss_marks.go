package look

import (
	"context"
	"fmt"
	"slices"

	"journal/cmd/journal/cli"
	"journal/embedded/store/rebuild"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/projections"
)

// lossMarks are lines that say in a list of events where some are lost: those of one loss on one line, and also where
// only events of a session or type are shown, because nobody knows whose they were.
type lossMarks struct {
	print func(projections.Loss)
	left  []projections.Loss
}

// marksOf makes the marks of a log for people; scripts get the events that say it.
func marksOf(ctx context.Context, a *cli.App, log *journal.Log) (*lossMarks, error) {
	if a.AsJSON {
		return &lossMarks{}, nil
	}
	all, err := cli.LossesOf(ctx, log)
	return &lossMarks{func(l projections.Loss) { printLoss(a, l) }, all}, err
}

// after leaves out what was lost before a place.
func (m *lossMarks) after(seq uint64) {
	m.left = slices.DeleteFunc(m.left, func(l projections.Loss) bool { return l.Last < seq })
}

// before prints what was lost before a place.
func (m *lossMarks) before(seq uint64) {
	for len(m.left) > 0 && m.left[0].First < seq {
		m.print(m.left[0])
		m.left = m.left[1:]
	}
}

// printAt prints an event behind what was lost before it. A log.gap is a part of the mark.
func printAt(a *cli.App, m *lossMarks, e events.Envelope, details bool) error {
	m.before(e.Seq + 1)
	if m.print != nil && e.Type == events.TypeOf[events.LogGap]() {
		return nil
	}
	return printEvent(a, e, details)
}

// printLoss prints a loss on a line, as printEvent does an event.
func printLoss(a *cli.App, l projections.Loss) {
	line := fmt.Sprintf("#%-5d %s  %-8s  %-18s %s for good: %s", l.First, l.At.Time().Local().Format("01-02 15:04:05"), "", events.TypeOf[events.LogGap](),
		cli.Counted(l.Records, "event")+cli.AreLost(l.Records), rebuild.Told(l))
	_ = a.Paint(cli.Red, text.CutColumns(cli.Flat(line), a.Width())) // as everywhere in text
}
