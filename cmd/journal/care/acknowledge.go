package care

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/store/rebuild"
	"journal/embedded/store/scrub"
	"journal/events"
	"journal/journal"
	"journal/journal/spool/losses"
	"journal/journal/wire/client"
	"journal/projections"
)

// maxAcknowledged bounds the losses that one event acknowledges, because its size is bounded.
const maxAcknowledged = 5000

// acknowledgeLosses records that a person has seen what is lost, and clears what is noted of damage and disorder.
func acknowledgeLosses(a *cli.App, c *cobra.Command) error {
	var unseen []projections.Loss
	err := a.Read(c.Context(), func(log *journal.Log) error {
		all, err := cli.LossesOf(c.Context(), log)
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
	// No session and no project: it is about the log itself.
	receipt, err := a.Appender().Append(c.Context(), client.About{}, seen...)
	if err != nil {
		return cli.NotRecorded(err)
	}
	disorder, err := losses.Acknowledge(a.Dir)
	if err != nil {
		return err
	}
	damage := scrub.Verified(a.Dir)
	if err := scrub.Remember(a.Dir, nil); err != nil {
		return err
	}
	doc := struct {
		Losses   []projections.Loss `json:"losses"` // acknowledged now for the first time
		Damage   []scrub.Damage     `json:"damage"`
		Disorder bool               `json:"disorder"`
		Spooled  bool               `json:"spooled"`
	}{append([]projections.Loss{}, unseen...), append([]scrub.Damage{}, damage...), disorder, receipt.Spooled}
	return a.Print(doc, func() {
		for _, l := range unseen {
			a.PrintBeside("seen     ", rebuild.Told(l))
		}
		for _, d := range damage {
			a.PrintBeside("seen     ", d.What)
		}
		if disorder {
			a.PrintBeside("seen     ", "events that are in the log out of order")
		}
		if len(unseen)+len(damage) == 0 && !disorder {
			fmt.Fprintln(a.Out, "nothing is lost that was not acknowledged")
		}
	})
}

// printLosses lists what is lost for good.
func printLosses(a *cli.App, all []projections.Loss) {
	for _, l := range all {
		said := rebuild.Told(l)
		if l.AcknowledgedBy > 0 {
			said += fmt.Sprintf(" (acknowledged by #%d)", l.AcknowledgedBy)
		}
		a.PrintBeside("lost     ", said)
	}
}
