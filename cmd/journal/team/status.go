package team

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/service"
	"journal/embedded/team/upload"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("status", "what is shared, how far the hub is, what is pending",
		`Shows what the owner of the log knows of the hub; it asks nobody. Pending is what has to be removed
at the hub and is still there.`,
		func(c *cobra.Command, _ []string) error {
			d, err := upload.StatusOf(a.Dir)
			if err != nil {
				return err
			}
			d.Owner = service.ReadStatus(c.Context(), a.Dir).Owner != nil
			return a.Print(d, func() { printTeam(a, d) })
		})
	return a.JSONFlag(c)
})

func printTeam(a *cli.App, d upload.Status) {
	line := func(name, format string, args ...any) {
		a.PrintBeside(fmt.Sprintf("%-8s ", name), fmt.Sprintf(format, args...))
	}
	local := func(t time.Time) string { return t.Local().Format(time.DateTime) }
	line("team", "%s, as %s on device %s", d.Team, d.Member, d.Device)
	for _, former := range d.Former {
		line("before", "device %s, as which another log goes on or went on; what it shared stays at the hub", former)
	}
	line("shared", "%s", strings.Join(d.Lines(), ", "))
	switch {
	case !d.Owner:
		line("hub", "no owner runs, so nobody looks; the next hook starts one")
	case d.Connected:
		line("hub", "connected")
	case d.Contact.IsZero():
		line("hub", "not reached yet")
	default:
		line("hub", "not reached since %s", local(d.Contact))
	}
	if d.HubBack != "" {
		line("older", "%s", d.HubBack)
	}
	if d.Copy > 0 {
		line("copy", "%d, up to #%d of #%d", d.Copy, d.Hub, d.Head)
	}
	if d.Behind > 0 {
		line("behind", "%s", cli.Counted(d.Behind, "event"))
	}
	if d.Pending > 0 {
		line("pending", "%s at the hub to be removed when it is reached", cli.Counted(d.Pending, "copy"))
	}
	if d.Problem != "" && d.Owner {
		line("problem", "%s", d.Problem)
	}
}
