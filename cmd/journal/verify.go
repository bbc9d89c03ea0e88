package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"journal/embedded/rebuild"
)

var _ = verb(func(a *app) *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "verify",
		Short: "read everything and name what is damaged",
		Long: `Reads the log, its archive and the spool from end to end, compares the copies, and names
every sequence that is damaged. It changes nothing, and an owner may be at work meanwhile.

Exit codes: 0 everything is as it was written, 1 failure, 3 damage found.`,
		Args: args(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			if err := a.isThere(); err != nil {
				return err
			}
			show, end := a.progress("reading")
			i, err := rebuild.Inspect(c.Context(), a.dir, show)
			end()
			if err != nil {
				return err
			}
			if asJSON {
				if err := a.printJSON(i); err != nil {
					return err
				}
			} else {
				a.printInspection(i)
			}
			if len(i.Bad) == 0 {
				return nil
			}
			fmt.Fprintf(a.err, "error: %d damaged places\ntry: journal repair\n", len(i.Bad))
			return exitWith(exitDamage)
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "one JSON document")
	return c
})

// isThere says whether anything was ever recorded.
func (a *app) isThere() error {
	if _, err := os.Stat(a.dir); errors.Is(err, fs.ErrNotExist) {
		return withHint(fmt.Errorf("%w in %s yet", errNoJournal, a.dir), "journal install")
	}
	return nil
}

func (a *app) printInspection(i rebuild.Inspection) {
	fmt.Fprintf(a.out, "log      %d events, up to #%d\n", i.Events, i.Last)
	fmt.Fprintf(a.out, "archive  %d events, up to #%d, %d segments, %s\n", i.Archive.Events, i.Archive.Last, i.Archive.Segments, size(uint64(i.Archive.Bytes)))
	fmt.Fprintf(a.out, "spool    %d files wait, %d are set aside\n", i.Spool.Files, i.Spool.Aside)
	if i.Spool.Newer > 0 {
		fmt.Fprintf(a.out, "newer    %d spool files were written by a later program\n", i.Spool.Newer)
	}
	if i.Unknown != "" {
		fmt.Fprintf(a.out, "unknown  the store has a format that this program does not know: %s\n", i.Unknown)
	}
	for _, b := range i.Bad {
		fmt.Fprintf(a.out, "bad      %s\n", badLine(b))
	}
}

// badLine says for people what is wrong and where.
func badLine(b rebuild.Bad) string {
	if b.Seq == 0 {
		return b.Where + ": " + b.What
	}
	return rebuild.Range{First: b.Seq, Last: max(b.Seq, b.Last)}.String() + " " + b.Where + ": " + b.What
}
