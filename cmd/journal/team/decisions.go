package team

import (
	"fmt"
	"strings"
	"time"

	"journal/cmd/journal/cli"
	"journal/embedded/colleagues"
	"journal/journal/team"
)

var _ = teamChoice(choiceVerb{
	choice: team.Decisions,
	use:    "decisions",
	short:  "tell each other what is decided in a project",
	long: `Without a project it shows what others decided, as far as the hub was asked; it asks nobody. With one
(directory or key) what is decided in it, and what the person answered when asked, stands in recovery
texts of others in the same repository who chose the same, under the member's name; theirs stands in
texts here, after one's own: at most three of a member, first those that name files at work here, then the
newest. It is off for every project until then, and says so and asks first. Nothing of it is recorded in
this log. What is forgotten there is gone here at the next look: when the hub is reached, when a session
starts, and every ten seconds while one is at work.`,
	begun:    "agents of others in this repository are told what was decided here, with your name and the day, and yours what others decided",
	ended:    "decisions are not exchanged any more",
	question: "Exchange decisions?",
	show:     showDecisions,
})

// teamDecisionsDoc is what is known of what others decided, in a form that scripts rely on.
type teamDecisionsDoc struct {
	Projects  []string        `json:"projects"` // for which that was chosen
	Decisions []team.Decision `json:"decisions"`
}

func showDecisions(a *cli.App, s team.Share) error {
	all, err := team.KnownDecisions(a.Dir)
	if err != nil {
		return err
	}
	doc := teamDecisionsDoc{append([]string{}, s.Decisions...), append([]team.Decision{}, all...)}
	return a.Print(doc, func() {
		if len(s.Decisions) == 0 {
			fmt.Fprintln(a.Out, "no decisions are exchanged")
			return
		}
		fmt.Fprintf(a.Out, "chosen for %s\n", strings.Join(s.Decisions, ", "))
		for i, d := range colleagues.Colleagues(all) {
			fmt.Fprintf(a.Out, "%s  %s/%s #%d  %s\n", d.At.Time().Local().Format(time.DateOnly), d.Member, all[i].Device, d.Seq, d.WithQuestion())
		}
	})
}
