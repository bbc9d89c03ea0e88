package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/embedded/colleagues"
	"journal/journal"
	"journal/journal/team"
	"journal/journal/team/peers"
	"journal/projections"
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
	show:  (*app).showHandover,
})

func (a *app) showHandover(s team.Share) error {
	offers := make([][]team.Offer, len(s.Handover))
	for i, p := range s.Handover {
		var err error
		if offers[i], err = team.LoadOffers(a.dir, p); err != nil {
			return err
		}
	}
	return a.print(append([]string{}, s.Handover...), func() {
		if len(s.Handover) == 0 {
			fmt.Fprintln(a.out, "nothing is handed over")
		}
		for i, p := range s.Handover {
			fmt.Fprintln(a.out, p)
			for _, o := range offers[i] {
				a.printOffer(o)
			}
		}
	})
}

// printOffer says what a session on another machine has left unfinished, and how to go on with it.
func (a *app) printOffer(o team.Offer) {
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
	a.printBeside(fmt.Sprintf("  %s  %s  ", from, age(time.Since(time.Unix(0, o.Last)))), strings.Join(what, "; "))
}

// leftElsewhere finds what a session of a member, given as MEMBER/SESSION, has left unfinished in a
// project of this log.
func (a *app) leftElsewhere(ctx context.Context, project, given string) (w colleagues.Work, err error) {
	member, session, _ := strings.Cut(given, "/")
	if err := team.CheckName(member); err != nil {
		return w, err
	}
	m, err := team.Load(a.dir)
	if err != nil {
		return w, withHint(err, "journal team join FILE")
	}
	share, err := team.LoadShare(a.dir)
	if err != nil {
		return w, err
	}
	if !team.Handover.Has(share, project) {
		return w, withHint(fmt.Errorf("handing over is not chosen for %s", project), "journal team handover PROJECT")
	}
	own := colleagues.Project{Key: project}
	err = a.read(ctx, func(log *journal.Log) error {
		all, err := colleagues.Projects(ctx, log)
		for _, p := range all {
			if p.Key == project {
				own = p
			}
		}
		return err
	})
	if err != nil {
		return w, err
	}
	nc, err := peers.Connect(ctx, m.Member)
	if err != nil {
		return w, hubTrouble(err)
	}
	defer nc.Close()
	w, err = colleagues.Find(ctx, nc, own, member, session)
	if errors.Is(err, colleagues.ErrNothing) {
		err = withHint(err, "journal sessions --team="+member)
	}
	return w, err
}

// takeOver records that the session of a fold goes on with what another machine's left.
func (a *app) takeOver(c *cobra.Command, f *phaseFlags, fold *projections.Fold, given string) error {
	w, err := a.leftElsewhere(c.Context(), fold.Target().Project, given)
	if err != nil {
		return err
	}
	if own := projections.Phase.In(fold); own.Active() && w.Skill.Active() {
		return atSkill(own)
	}
	if err := a.record(c, f.target, w.Events()...); err != nil || a.asJSON {
		return err
	}
	if w.Skill.Active() {
		if err := a.printStateOf(w.Skill); err != nil {
			return err
		}
	}
	if w.Approved != "" {
		fmt.Fprintf(a.out, "plan %q\n", w.Plan.Title)
	}
	for _, p := range w.Ports {
		fmt.Fprintf(a.out, "unit of work %s (%s): %s\n", p.ID, p.Title, p.Progress)
	}
	return nil
}
