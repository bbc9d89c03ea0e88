package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/embedded/rebuild"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/client"
	"journal/journal/drops"
	"journal/projections"
	"journal/replay"
)

// acknowledging is the command that ends the warnings about what is lost.
const acknowledging = "journal repair --acknowledge"

// reading is read for a verb that shows what the log says: it tells first what the log lost and nobody acknowledged,
// because whatever is shown may lack it. What cannot be read in any copy is left out, and is the error in the end.
func (a *app) reading(ctx context.Context, f func(*journal.Log) error) error {
	return a.read(ctx, func(log *journal.Log) (err error) {
		var holes []rebuild.Range
		log = log.PastHoles(func(first, last uint64) { holes = append(holes, rebuild.Range{First: first, Last: last}) })
		defer func() {
			if err == nil && len(holes) > 0 {
				missing := rebuild.RangesOf(holes)
				err = withHint(damageError{fmt.Errorf("%w: %s, %s", journal.ErrHole, counted(missing.Count(), "event"), missing)}, "journal repair")
			}
		}()
		all, err := losses(ctx, log)
		if err != nil {
			return err
		}
		if n := rebuild.Unseen(all); n > 0 {
			a.note(fmt.Sprintf("%s for good, and what follows may lack: %s; %s ends this note", counted(n, "event")+areLost(n), rebuild.ToldUnseen(all), acknowledging))
		}
		return f(log)
	})
}

func areLost(n uint64) string {
	if n == 1 {
		return " is lost"
	}
	return " are lost"
}

// losses lists what the log lost for good.
func losses(ctx context.Context, log replay.Source) ([]projections.Loss, error) {
	f := projections.NewFold(projections.Target{}, projections.Config{}, projections.Losses)
	if err := replay.Forward(ctx, log, f, 0); err != nil {
		return nil, damaged(err)
	}
	return slices.AppendSeq([]projections.Loss{}, projections.Losses.In(f).All()), nil
}

// lossMarks are lines that say in a list of events where some are lost: those of one loss on one line, and also where
// only events of a session or type are shown, because nobody knows whose they were.
type lossMarks struct {
	print func(projections.Loss)
	left  []projections.Loss
}

// lossMarks makes the marks of a log for people; scripts get the events that say it.
func (a *app) lossMarks(ctx context.Context, log *journal.Log) (*lossMarks, error) {
	if a.asJSON {
		return &lossMarks{}, nil
	}
	all, err := losses(ctx, log)
	return &lossMarks{a.printLoss, all}, err
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
func (a *app) printAt(m *lossMarks, e events.Envelope, details bool) error {
	m.before(e.Seq + 1)
	if m.print != nil && e.Type == events.TypeOf[events.LogGap]() {
		return nil
	}
	return a.printEvent(e, details)
}

// printLoss prints a loss on a line, as printEvent does an event.
func (a *app) printLoss(l projections.Loss) {
	line := fmt.Sprintf("#%-5d %s  %-8s  %-18s %s for good: %s", l.First, l.At.Time().Local().Format("01-02 15:04:05"), "", events.TypeOf[events.LogGap](),
		counted(l.Records, "event")+areLost(l.Records), rebuild.Told(l))
	_ = a.paint(red, text.CutColumns(flat(line), a.width())) // as everywhere in text
}

// maxAcknowledged bounds the losses that one event acknowledges: its size is bounded too.
const maxAcknowledged = 5000

// acknowledge records that a person has seen what is lost, and forgets what order could not be kept.
func (a *app) acknowledge(c *cobra.Command) error {
	var unseen []projections.Loss
	err := a.read(c.Context(), func(log *journal.Log) error {
		all, err := losses(c.Context(), log)
		unseen = slices.DeleteFunc(all, func(l projections.Loss) bool { return l.AcknowledgedBy > 0 })
		return err
	})
	if err != nil {
		return err
	}
	var seen []events.Event
	for some := range slices.Chunk(unseen, maxAcknowledged) {
		var e events.LogAcknowledged
		for _, l := range some {
			e.Losses = append(e.Losses, events.PlaceRange{First: l.First, Last: l.Last})
		}
		seen = append(seen, e)
	}
	// About no session and no project: it is about the log.
	receipt, err := a.appender().Append(c.Context(), client.About{}, seen...)
	if err != nil {
		return notRecorded(err)
	}
	disorder, err := drops.Acknowledge(a.dir)
	if err != nil {
		return err
	}
	doc := struct {
		Losses   []projections.Loss `json:"losses"` // that were not acknowledged before
		Disorder bool               `json:"disorder"`
		Spooled  bool               `json:"spooled"`
	}{append([]projections.Loss{}, unseen...), disorder, receipt.Spooled}
	return a.print(doc, func() {
		for _, l := range unseen {
			a.printBeside("seen     ", rebuild.Told(l))
		}
		if disorder {
			a.printBeside("seen     ", "events that stand before others which came earlier")
		}
		if len(unseen) == 0 && !disorder {
			fmt.Fprintln(a.out, "nothing is lost that was not acknowledged")
		}
	})
}

// printLosses lists what is lost for good.
func (a *app) printLosses(all []projections.Loss) {
	for _, l := range all {
		said := rebuild.Told(l)
		if l.AcknowledgedBy > 0 {
			said += fmt.Sprintf(" (acknowledged by #%d)", l.AcknowledgedBy)
		}
		a.printBeside("lost     ", said)
	}
}
