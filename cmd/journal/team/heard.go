package team

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/replay/recovery"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	c := cli.NewCommand("heard [PROJECT]", "what others decided and left unfinished",
		`Shows what others decided and left unfinished in repositories whose context both share, as of the last look at the
hub; it asks nobody. Agents are told the same: decisions in recovery texts, under the member's name, after one's
own, at most three of a member, first those that name files at work here, then the newest; unfinished work (skill
and phase, units of work, title of the plan, who and when; never what was asked or said) when a session starts.
Nothing of it is recorded in this log. What a member forgets is gone here at the next look: when the hub is reached,
when a session starts, and every ten seconds while one is at work.

journal phase continue --from MEMBER/SESSION goes on with unfinished work, and who left it hears of that.`,
		func(c *cobra.Command, args []string) error {
			if _, err := team.Load(a.Dir); err != nil {
				return err
			}
			project := ""
			if len(args) > 0 {
				project = a.ProjectKey(args[0])
			}
			heard, err := team.LoadHeard(a.Dir, project)
			if err != nil {
				return err
			}
			heard.Decisions = append([]team.Decision{}, heard.Decisions...) // never null
			heard.Unfinished = append([]recovery.Offer{}, heard.Unfinished...)
			return a.Print(heard, func() { printHeard(a, heard) })
		})
	return a.JSONFlag(c)
})

func printHeard(a *cli.App, heard team.Heard) {
	if len(heard.Decisions)+len(heard.Unfinished) == 0 {
		fmt.Fprintln(a.Out, "nothing was heard of others")
	}
	for i, d := range colleagues.Colleagues(heard.Decisions) {
		fmt.Fprintf(a.Out, "%s  %s/%s #%d  %s\n", d.At.Time().Local().Format(time.DateOnly), d.Member, heard.Decisions[i].Device, d.Seq, d.WithQuestion())
	}
	for _, o := range heard.Unfinished {
		var parts []string
		if o.Skill != "" {
			parts = append(parts, fmt.Sprintf("skill %s, phase %s", o.Skill, o.Phase))
		}
		for _, p := range o.Ports {
			parts = append(parts, fmt.Sprintf("unit of work %s (%s) %s", p.ID, p.Title, p.Progress))
		}
		if o.Plan != "" {
			parts = append(parts, fmt.Sprintf("plan %q", o.Plan))
		}
		a.PrintBeside(fmt.Sprintf("%s/%s  %s  ", o.Member, o.Session, cli.Age(time.Since(time.Unix(0, o.Last)))), strings.Join(parts, "; "))
	}
}
