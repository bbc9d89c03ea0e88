package team

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/colleagues"
	"journal/embedded/team/peers"
)

// Left implements cli.Team.
func (room) Left(ctx context.Context, a *cli.App, project, given string) (left cli.LeftWork, err error) {
	member, session, _ := strings.Cut(given, "/")
	if err := team.CheckName(member); err != nil {
		return left, err
	}
	m, err := team.Load(a.Dir)
	if err != nil {
		return left, err
	}
	share, err := team.LoadShare(a.Dir)
	if err != nil {
		return left, err
	}
	if !share.SharesContext(project) {
		return left, cli.WithHint(fmt.Errorf("the context of %s is not shared", project), "journal team share PROJECT")
	}
	own, err := projectKnown(ctx, a, project)
	if err != nil {
		return left, err
	}
	hub, err := peers.Reach(ctx, m.Member)
	if err != nil {
		return left, hubTrouble(err)
	}
	defer hub.Close()
	w, err := colleagues.Find(ctx, hub, own, member, session)
	if errors.Is(err, colleagues.ErrNothing) {
		err = cli.WithHint(err, "journal sessions --team="+member)
	}
	if err != nil {
		return left, err
	}
	left = cli.LeftWork{Events: w.Events(), Skill: w.Skill, Ports: w.Ports}
	if w.Approved != "" {
		left.Plan = w.Plan.Title
	}
	return left, nil
}
