package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"journal/embedded/ownership"
	"journal/embedded/rebuild"
)

// repairDoc says what a repair did, in a form that scripts rely on.
type repairDoc struct {
	Rebuilt  bool            `json:"rebuilt"`
	Epoch    int             `json:"epoch,omitempty"`
	Events   uint64          `json:"events"`
	Archived []rebuild.Range `json:"archived"`  // came back from the archive
	Gaps     []rebuild.Range `json:"gaps"`      // lost; log.gap stands in their places
	Differ   []rebuild.Range `json:"differ"`    // the archive had other records there
	LostTail *rebuild.Range  `json:"lost_tail"` // remembered as stored, and in no copy
	Archive  bool            `json:"archive"`   // the archive was written again
	Suspect  string          `json:"suspect"`   // where the damaged store lies now
	Aside    int             `json:"aside"`     // spool files that were set aside now
}

// lost says whether anything could not be recovered.
func (d repairDoc) lost() bool { return len(d.Gaps) > 0 || d.LostTail != nil }

var _ = verb(func(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "repair",
		Short: "rebuild a damaged log from its good records and the archive",
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
			if asJSON {
				if err := a.printJSON(doc); err != nil {
					return err
				}
			} else {
				a.printRepair(doc)
			}
			if doc.lost() {
				return exitWith(exitDamage)
			}
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return c
})

func (a *app) repair(ctx context.Context) (doc repairDoc, err error) {
	err = a.whileNobodyOwns(ctx, func(lock *ownership.Lock) error {
		show, end := a.progress("reading")
		i, err := rebuild.Inspect(ctx, a.dir, show)
		end()
		if err != nil {
			return err
		}
		if doc.Aside, err = rebuild.SetAside(a.dir); err != nil {
			return err
		}
		doc.Events = i.Events
		doc.Archived, doc.Gaps, doc.Differ = []rebuild.Range{}, []rebuild.Range{}, []rebuild.Range{}
		if !i.Mendable() {
			return nil
		}
		show, end = a.progress("rebuilding")
		defer end()
		r, err := rebuild.Rebuild(ctx, lock, rebuild.Options{Reason: badLine(i.Bad[0]), Progress: show, Logger: a.logger()})
		if err != nil {
			return err
		}
		doc.Rebuilt, doc.Epoch, doc.Events, doc.Suspect = true, r.Epoch, r.Events, r.Suspect
		doc.Archived, doc.Gaps, doc.Differ = append(doc.Archived, r.Archived...), append(doc.Gaps, r.Gaps...), append(doc.Differ, r.Differ...)
		doc.LostTail, doc.Archive = r.LostTail, r.Archive
		// Hooks may have spooled for days; and a log is repaired when it opens.
		o, err := a.ownLog(ctx, lock, a.ownerConfig())
		if err != nil {
			return err
		}
		return errors.Join(o.Drain(ctx), o.Close())
	})
	return doc, err
}

// whileNobodyOwns runs f with the lock, after a rebuild that was interrupted is
// complete. A running owner is asked to leave.
func (a *app) whileNobodyOwns(ctx context.Context, f func(*ownership.Lock) error) error {
	if err := ownership.Prepare(a.dir); err != nil {
		return err
	}
	lock, err := a.takeOver(ctx)
	if err != nil {
		return withHint(err, "journal status")
	}
	if _, err = rebuild.Resume(lock); err == nil {
		err = f(lock)
	}
	return errors.Join(err, lock.Release())
}

func (a *app) printRepair(d repairDoc) {
	if d.Aside > 0 {
		fmt.Fprintf(a.out, "spool    %d files that cannot be read are set aside\n", d.Aside)
	}
	if !d.Rebuilt {
		fmt.Fprintf(a.out, "log      %d events; nothing to repair\n", d.Events)
		return
	}
	fmt.Fprintf(a.out, "log      rebuilt as epoch %d, %d events\n", d.Epoch, d.Events)
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
