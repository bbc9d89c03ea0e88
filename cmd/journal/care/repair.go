package care

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/copies"
	"journal/embedded/rebuild"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
	"journal/events"
	"journal/events/text"
	"journal/journal"
	"journal/journal/spool/losses"
	"journal/journal/wire/client"
	"journal/projections"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var acknowledge bool
	c := cli.NewCommand("repair", "rebuild a damaged log from its good records and the archive",
		`Stops the owner. If something is damaged, it rebuilds the log from every record that is readable in
the store or the archive. Every event keeps its number; a log.gap takes the place of a lost one. The
damaged copies are renamed and kept.

Verbs warn about lost events until repair --acknowledge records that a person has seen them. This
repairs nothing. It also ends the notes about damage that verify found, and about events out of order.

Exit codes: 0 nothing is lost that was not acknowledged, 1 failure, 3 events are lost.`,
		func(c *cobra.Command, _ []string) error {
			if err := a.CheckJournal(); err != nil {
				return err
			}
			if acknowledge {
				return acknowledgeLosses(a, c)
			}
			doc, err := repair(c.Context(), a)
			if err != nil {
				return err
			}
			if err := a.Print(doc, func() { printRepair(a, doc) }); err != nil {
				return err
			}
			if doc.Lost() {
				fmt.Fprintf(a.Err, "note: %s ends the warnings about what is lost\n", cli.AcknowledgeCommand)
				return cli.ExitWith(cli.ExitDamage)
			}
			return nil
		})
	c.Flags().BoolVar(&acknowledge, "acknowledge", false, "record that you have seen what is lost or out of order, and end the warnings")
	return a.JSONFlag(c)
})

// repair repairs the directory and the log, then drains the spool into the log.
func repair(ctx context.Context, a *cli.App) (out rebuild.Outcome, err error) {
	lock, fixed, err := service.LockForRepair(ctx, a.Dir)
	if err != nil {
		return out, cli.WithHint(err, "journal status")
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if out, err = rebuild.Repair(ctx, lock, a.Logger(), a.Progress); err != nil {
		return out, err
	}
	out.Fixed = append(fixed, out.Fixed...)
	// An owner drains the spool now, because hooks may have spooled for days.
	o, err := service.Open(ctx, lock, a.OwnerConfig())
	if err != nil {
		return out, err
	}
	return out, errors.Join(o.Drain(ctx), o.Close())
}

// withLock stops a running owner, takes the lock of the journal, runs f, and releases the lock.
func withLock(ctx context.Context, a *cli.App, f func(*ownership.Lock) error) error {
	lock, err := service.StopOwnerAndLock(ctx, a.Dir)
	if err != nil {
		return cli.WithHint(err, "journal status")
	}
	return errors.Join(f(lock), lock.Release())
}

// printRepair prints the outcome of a repair for people.
func printRepair(a *cli.App, d rebuild.Outcome) {
	if d.Aside > 0 {
		fmt.Fprintf(a.Out, "spool    set aside, because they cannot be read: %s\n", text.Counted(d.Aside, "file"))
	}
	for _, obstacle := range d.Fixed {
		a.PrintBeside("repaired ", obstacle)
	}
	if !d.Rebuilt {
		state := "; nothing to repair"
		if len(d.Fixed) > 0 {
			state = ", all of them good"
		}
		fmt.Fprintf(a.Out, "log      %s%s\n", text.Counted(d.Events, "event"), state)
		printLosses(a, d.Losses)
		return
	}
	fmt.Fprintf(a.Out, "log      rebuilt as epoch %d, %s\n", d.Epoch, text.Counted(d.Events, "event"))
	printRanges := func(label string, all []copies.Range) {
		for _, r := range all {
			fmt.Fprintf(a.Out, "%s %s\n", label, r)
		}
	}
	printRanges("archived", d.Archived)
	printRanges("differed", d.Differ)
	printRanges("lost    ", d.Gaps)
	if d.LostTail != nil {
		fmt.Fprintf(a.Out, "lost     %s, at the end\n", d.LostTail)
	}
	if d.Archive {
		fmt.Fprintf(a.Out, "archive  written again\n")
	}
	if d.Suspect != "" {
		fmt.Fprintf(a.Out, "aside    %s\n", d.Suspect)
	}
}

// maxAcknowledged is the number of losses that one event can acknowledge: the size of an event is bounded. More losses take
// several events.
const maxAcknowledged = 5000

// acknowledgeLosses records that a person has seen the losses, and clears the notes about damage and about events out of order.
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
	for chunk := range slices.Chunk(unseen, maxAcknowledged) {
		var e events.LogAcknowledged
		for _, l := range chunk {
			e.Losses = append(e.Losses, events.SeqRange{First: l.First, Last: l.Last})
		}
		seen = append(seen, e)
	}
	// Without session and project: the event is about the log itself.
	receipt, err := a.Appender().Append(c.Context(), client.About{}, seen...)
	if err != nil {
		return cli.NotRecorded(err)
	}
	disorder, err := losses.Acknowledge(a.Dir)
	if err != nil {
		return err
	}
	damage := copies.VerifiedDamage(a.Dir)
	if err := copies.RememberDamage(a.Dir, nil); err != nil {
		return err
	}
	doc := struct {
		Losses   []projections.Loss `json:"losses"` // acknowledged now for the first time
		Damage   []copies.Damage    `json:"damage"`
		Disorder bool               `json:"out_of_order"`
		Spooled  bool               `json:"spooled"`
	}{append([]projections.Loss{}, unseen...), append([]copies.Damage{}, damage...), disorder, receipt.Spooled}
	return a.Print(doc, func() {
		for _, l := range unseen {
			a.PrintBeside("seen     ", copies.Describe(l))
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

// printLosses prints the losses of the log for people.
func printLosses(a *cli.App, all []projections.Loss) {
	for _, l := range all {
		line := copies.Describe(l)
		if l.AcknowledgedBy > 0 {
			line += fmt.Sprintf(" (acknowledged by #%d)", l.AcknowledgedBy)
		}
		a.PrintBeside("lost     ", line)
	}
}
