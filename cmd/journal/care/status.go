// Package care has the verbs that care for the log: backup and restore, export, forgetting, repair, pauses and the owner; and
// the verbs for redaction, for the settings and for the version of the program.
package care

import (
	"fmt"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/service"
	"journal/embedded/store/ownership"
)

var _ = cli.Verb(cli.Caring, func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("status", "the background process and the log, with any problems",
		`Shows the owner of the log, the number of events and of reports in the spool, the size of the files
and how fast they grow, and every problem. It starts nothing.

Exit codes: 0 healthy, 1 a problem.`,
		func(c *cobra.Command, _ []string) error {
			doc := a.Status(c.Context())
			if why := cli.NoHomeProblem(a); why != "" {
				doc.Problems, doc.Healthy = append(doc.Problems, why), false
			}
			return a.PrintExit(doc, func() { printStatus(a, doc) }, !doc.Healthy, cli.ExitError)
		})
	return a.JSONFlag(c)
})

// printStatus prints the status for people.
func printStatus(a *cli.App, d service.Status) {
	line := func(name, format string, args ...any) {
		a.PrintBeside(fmt.Sprintf("%-8s ", name), fmt.Sprintf(format, args...))
	}
	switch {
	case d.Owner == nil && ownership.Held(d.Store):
		line("owner", "a process holds the log and does not answer")
	case d.Owner == nil:
		line("owner", "none is running; the next hook starts one")
	default:
		since, _ := time.Parse(time.RFC3339, d.Owner.Since)
		line("owner", "pid %d, version %s, since %s", d.Owner.PID, d.Owner.Version, since.Local().Format(time.DateTime))
		if d.Owner.Outdated {
			line("", "older than this program, %s: it is replaced when a session starts", cli.Version())
		}
	}
	if d.Owner != nil && filepath.Dir(d.Owner.Socket) != d.Store {
		line("socket", "%s, because the path of the store is too long for one", d.Owner.Socket)
	}
	line("store", "%s", d.Store)
	if d.LastSeq == 0 {
		line("events", "none yet")
	} else {
		line("events", "%d, up to #%d", d.Events, d.LastSeq)
	}
	line("spooled", "%d", d.Spooled)
	line("archived", "%s", d.Copied())
	line("disk", "store %s, archive %s, index %s, spool %s", cli.Size(d.Disk.Store), cli.Size(d.Disk.Archive), cli.Size(d.Disk.Index), cli.Size(d.Disk.Spool))
	if d.Disk.Days > 0 {
		days := "today"
		if d.Disk.Days > 1 {
			days = fmt.Sprintf("a day, in the last %d days", d.Disk.Days)
		}
		line("growth", "%s %s", cli.Size(d.Disk.PerDay), days)
	}
	for _, p := range d.Paused {
		if p == "*" { // all projects
			line("paused", "everywhere; continue with: journal resume")
			continue
		}
		line("paused", "%s; continue with: journal resume --project %s", p, p)
	}
	for _, u := range d.Unknown {
		line("unknown", "%s", u)
	}
	for _, p := range d.Problems {
		line("problem", "%s", p)
	}
}
