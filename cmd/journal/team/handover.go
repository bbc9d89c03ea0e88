package team

import (
	"fmt"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/journal/team"
)

var _ = teamChoice(choiceVerb{
	choice: team.Handover,
	use:    "handover",
	short:  "tell each other what is unfinished in a project",
	long: `Without a project it says for which ones that was chosen, and what others left unfinished there as far
as the hub was asked; it is off for all others. With one
(directory or key) sessions that start on other machines, in the same repository and with the same
choice, hear what sessions here left unfinished: skill and phase, units of work, title of the plan,
who and when; never what was asked or said. Sessions that start here hear the same of others.
journal phase continue --from MEMBER/SESSION goes on with it, and who left it hears of that.`,
	begun: "the team hears which skills, units of work and plans are unfinished here, whose they are and since when",
	ended: "what is unfinished is not handed over any more",
	show:  showHandover,
})

func showHandover(a *cli.App, s team.Share) error {
	offers := make([][]team.Offer, len(s.Handover))
	for i, p := range s.Handover {
		var err error
		if offers[i], err = team.LoadOffers(a.Dir, p); err != nil {
			return err
		}
	}
	return a.Print(append([]string{}, s.Handover...), func() {
		if len(s.Handover) == 0 {
			fmt.Fprintln(a.Out, "nothing is handed over")
		}
		for i, p := range s.Handover {
			fmt.Fprintln(a.Out, p)
			for _, o := range offers[i] {
				printOffer(a, o)
			}
		}
	})
}

// printOffer says what a session on another machine has left unfinished, and how to go on with it.
func printOffer(a *cli.App, o team.Offer) {
	var what []string
	if o.Skill != "" {
		what = append(what, fmt.Sprintf("skill %s, phase %s", o.Skill, o.Phase))
	}
	for _, p := range o.Ports {
		what = append(what, fmt.Sprintf("unit of work %s (%s) %s", p.ID, p.Title, p.Progress))
	}
	if o.Plan != "" {
		what = append(what, fmt.Sprintf("plan %q", o.Plan))
	}
	from := o.Member + "/" + o.Session
	a.PrintBeside(fmt.Sprintf("  %s  %s  ", from, cli.Age(time.Since(time.Unix(0, o.Last)))), strings.Join(what, "; "))
}
