package record

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/colleagues"
	"journal/journal"
	"journal/journal/team"
	"journal/journal/team/peers"
	"journal/projections"
)

// leftElsewhere finds what a session of a member, given as MEMBER/SESSION, has left unfinished in a
// project of this log.
func leftElsewhere(ctx context.Context, a *cli.App, project, given string) (w colleagues.Work, err error) {
	member, session, _ := strings.Cut(given, "/")
	if err := team.CheckName(member); err != nil {
		return w, err
	}
	m, err := team.Load(a.Dir)
	if err != nil {
		return w, err
	}
	share, err := team.LoadShare(a.Dir)
	if err != nil {
		return w, err
	}
	if !team.Handover.Has(share, project) {
		return w, cli.WithHint(fmt.Errorf("handing over is not chosen for %s", project), "journal team handover PROJECT")
	}
	own := colleagues.Project{Key: project}
	err = a.Read(ctx, func(log *journal.Log) error {
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
		return w, cli.HubTrouble(err)
	}
	defer nc.Close()
	w, err = colleagues.Find(ctx, nc, own, member, session)
	if errors.Is(err, colleagues.ErrNothing) {
		err = cli.WithHint(err, "journal sessions --team="+member)
	}
	return w, err
}

// takeOver records that the session of a fold goes on with what another machine's left.
func takeOver(a *cli.App, c *cobra.Command, f *phaseFlags, fold *projections.Fold, given string) error {
	w, err := leftElsewhere(c.Context(), a, fold.Target().Project, given)
	if err != nil {
		return err
	}
	if own := projections.Phase.In(fold); own.Active() && w.Skill.Active() {
		return atSkill(own)
	}
	if err := a.Record(c, f.target, w.Events()...); err != nil || a.AsJSON {
		return err
	}
	if w.Skill.Active() {
		if err := a.PrintStateOf(w.Skill); err != nil {
			return err
		}
	}
	if w.Approved != "" {
		fmt.Fprintf(a.Out, "plan %q\n", w.Plan.Title)
	}
	for _, p := range w.Ports {
		fmt.Fprintf(a.Out, "unit of work %s (%s): %s\n", p.ID, p.Title, p.Progress)
	}
	return nil
}
