package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"journal/embedded/ownership"
	"journal/embedded/rebuild"
	"journal/embedded/service"
)

var _ = verb(func(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "repair",
		GroupID: caring,
		Short:   "rebuild a damaged log from its good records and the archive",
		Long: `Stops the owner and, when something is damaged, writes the log again from every record
that reads back in the store or in the archive. Every event keeps its sequence; log.gap stands
where one is lost. The damaged copies are renamed aside and stay.

Exit codes: 0 nothing is lost, 1 failure, 3 events are lost.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.isThere(); err != nil {
				return err
			}
			doc, err := a.repair(c.Context())
			if err != nil {
				return err
			}
			if err := a.print(doc, func() { a.printRepair(doc) }); err != nil {
				return err
			}
			if doc.Lost() {
				return exitWith(exitDamage)
			}
			return nil
		},
	}
	a.jsonFlag(c)
	return c
})

func (a *app) repair(ctx context.Context) (out rebuild.Outcome, err error) {
	err = a.alone(ctx, func(lock *ownership.Lock) error {
		if out, err = rebuild.Repair(ctx, lock, a.logger(), a.progress); err != nil || !out.Rebuilt {
			return err
		}
		// Hooks may have spooled for days; and a log is repaired when it opens.
		o, err := service.Open(ctx, lock, a.ownerConfig())
		if err != nil {
			return mendable(err)
		}
		return errors.Join(o.Drain(ctx), o.Close())
	})
	return out, err
}

// alone runs f with the lock of the journal. A running owner is asked to leave.
func (a *app) alone(ctx context.Context, f func(*ownership.Lock) error) error {
	lock, err := service.Alone(ctx, a.dir)
	if err != nil {
		return withHint(err, "journal status")
	}
	return errors.Join(f(lock), lock.Release())
}

func (a *app) printRepair(d rebuild.Outcome) {
	if d.Aside > 0 {
		fmt.Fprintf(a.out, "spool    set aside, because they cannot be read: %s\n", counted(d.Aside, "file"))
	}
	if !d.Rebuilt {
		fmt.Fprintf(a.out, "log      %s; nothing to repair\n", counted(d.Events, "event"))
		return
	}
	fmt.Fprintf(a.out, "log      rebuilt as epoch %d, %s\n", d.Epoch, counted(d.Events, "event"))
	each := func(what string, all []rebuild.Range) {
		for _, r := range all {
			fmt.Fprintf(a.out, "%s %s\n", what, r)
		}
	}
	each("archived", d.Archived)
	each("differed", d.Differ)
	each("lost    ", d.Gaps)
	if d.LostTail != nil {
		fmt.Fprintf(a.out, "lost     %s, at the end\n", d.LostTail)
	}
	if d.Archive {
		fmt.Fprintf(a.out, "archive  written again\n")
	}
	if d.Suspect != "" {
		fmt.Fprintf(a.out, "aside    %s\n", d.Suspect)
	}
}
