package care

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
	"journal/embedded/store/rebuild"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	var acknowledge bool
	c := &cobra.Command{
		Use:   "repair",
		Short: "rebuild a damaged log from its good records and the archive",
		Long: `Stops the owner and, if something is damaged, writes the log again from every record
that is readable in the store or the archive. Every event keeps its sequence; log.gap stands in
the place of a lost one. The damaged copies are renamed and kept.

verify, status, doctor and verbs that read the log warn about lost events until --acknowledge records
that a person has seen them. It repairs nothing, and also ends the notes about damage that verify
found and about events out of order.

Exit codes: 0 nothing is lost that was not acknowledged, 1 failure, 3 events are lost.`,
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.IsThere(); err != nil {
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
				fmt.Fprintf(a.Err, "note: %s ends the warnings about what is lost\n", cli.Acknowledging)
				return cli.ExitWith(cli.ExitDamage)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&acknowledge, "acknowledge", false, "record that you have seen what is lost or out of order, and end the warnings")
	a.JSONFlag(c)
	return c
})

func repair(ctx context.Context, a *cli.App) (out rebuild.Outcome, err error) {
	lock, mended, err := service.AloneToMend(ctx, a.Dir)
	if err != nil {
		return out, obstacle(cli.WithHint(err, "journal status"))
	}
	defer func() { err = errors.Join(err, lock.Release()) }()
	if out, err = rebuild.Repair(ctx, lock, a.Logger(), a.Progress); err != nil {
		return out, obstacle(err)
	}
	out.Mended = append(mended, out.Mended...)
	// Hooks may have spooled for days, and opening the log repairs it.
	o, err := service.Open(ctx, lock, a.OwnerConfig())
	if err != nil {
		return out, err
	}
	return out, errors.Join(o.Drain(ctx), o.Close())
}

// obstacle adds a hint to an error that repair cannot fix.
func obstacle(err error) error {
	var o *rebuild.ObstacleError
	if errors.As(err, &o) {
		return cli.WithHint(err, o.Advice())
	}
	return err
}

// withLock runs f with the lock of the journal. A running owner is asked to leave.
func withLock(ctx context.Context, a *cli.App, f func(*ownership.Lock) error) error {
	lock, err := service.Alone(ctx, a.Dir)
	if err != nil {
		return cli.WithHint(err, "journal status")
	}
	return errors.Join(f(lock), lock.Release())
}

func printRepair(a *cli.App, d rebuild.Outcome) {
	if d.Aside > 0 {
		fmt.Fprintf(a.Out, "spool    set aside, because they cannot be read: %s\n", cli.Counted(d.Aside, "file"))
	}
	for _, what := range d.Mended {
		a.PrintBeside("mended   ", what)
	}
	if !d.Rebuilt && len(d.Mended) > 0 {
		fmt.Fprintf(a.Out, "log      %s, all of them good\n", cli.Counted(d.Events, "event"))
		printLosses(a, d.Losses)
		return
	}
	if !d.Rebuilt {
		fmt.Fprintf(a.Out, "log      %s; nothing to repair\n", cli.Counted(d.Events, "event"))
		printLosses(a, d.Losses)
		return
	}
	fmt.Fprintf(a.Out, "log      rebuilt as epoch %d, %s\n", d.Epoch, cli.Counted(d.Events, "event"))
	each := func(what string, all []rebuild.Range) {
		for _, r := range all {
			fmt.Fprintf(a.Out, "%s %s\n", what, r)
		}
	}
	each("archived", d.Archived)
	each("differed", d.Differ)
	each("lost    ", d.Gaps)
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
