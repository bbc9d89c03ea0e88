package team

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/projections"
)

// TakeOver implements cli.Team.
func (room) TakeOver(c *cobra.Command, a *cli.App, t cli.TargetFlags, fold *projections.Fold, from string) error {
	w, err := leftBy(c.Context(), a, fold.Target().Project, from)
	if err != nil {
		return err
	}
	if own := projections.Phase.In(fold); own.Active() && w.Skill.Active() {
		return cli.AtSkill(own)
	}
	if err := a.Record(c, t, w.Events()...); err != nil || a.AsJSON {
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

// leftBy finds the unfinished work of MEMBER/SESSION in a project of this log.
func leftBy(ctx context.Context, a *cli.App, project, from string) (w colleagues.Work, err error) {
	member, session, _ := strings.Cut(from, "/")
	if err := team.CheckName(member); err != nil {
		return w, err
	}
	share, err := team.LoadShare(a.Dir)
	if err != nil {
		return w, err
	}
	if !share.SharesContext(project) {
		return w, cli.WithHint(fmt.Errorf("the context of %s is not shared", project), "journal team share PROJECT")
	}
	own, err := projectKnown(ctx, a, project)
	if err != nil {
		return w, err
	}
	_, hub, err := reach(ctx, a)
	if err != nil {
		return w, err
	}
	defer hub.Close()
	w, err = colleagues.Find(ctx, hub, own, member, session)
	if errors.Is(err, colleagues.ErrNothing) {
		err = cli.WithHint(err, "journal sessions --team="+member)
	}
	return w, err
}
