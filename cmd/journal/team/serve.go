package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os/user"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/hub"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var s served
	c := cli.NewCommand("serve [NAME...]", "run a team's hub on this machine, and invite colleagues to it",
		`Runs a hub in the foreground: one server, with TLS and a certificate of its own that invitations name.
The first call makes it, and this journal joins it. For each NAME it prints the line that makes a
colleague's journal a member; send it as you would a password.

  journal team serve bob            # prints: journal team join team:…
  journal team share .              # in another terminal; the colleague does the same

While it runs, another call invites more colleagues and ends. What has been acknowledged outlives the
process; without it laptops go on as before and catch up later. A hub for many, on several machines:
journal team init.`,
		func(c *cobra.Command, args []string) error {
			for _, name := range append([]string{s.team}, args...) { // before anything is made
				if err := team.CheckName(name); err != nil {
					return cli.Usage(err)
				}
			}
			return s.run(c.Context(), a, args)
		})
	c.Flags().StringVar(&s.dir, "hub", "", "directory that keeps it (hub, in the journal's directory)")
	c.Flags().StringVar(&s.team, "name", "team", "of the team, when it is made")
	c.Flags().StringVar(&s.host, "host", "", "HOST, or HOST:CLIENT:CLUSTER with its ports, under which colleagues reach this machine, when it is made (its address)")
	return c
})

// served is a hub that this program runs.
type served struct{ dir, team, host string }

func (s *served) run(ctx context.Context, a *cli.App, names []string) error {
	h, err := s.open(ctx, a)
	if err != nil {
		return err
	}
	if err := s.joinSelf(a, h); err != nil {
		return err
	}
	for _, name := range names {
		if err := s.invite(a, h, name); err != nil {
			return err
		}
	}
	if len(h.Members) < 2 {
		a.Note("invite a colleague: journal team serve NAME")
	}
	if h.Reload(ctx) == nil {
		a.Note("the hub runs already, and knows who is in the team")
		return h.Announce(ctx)
	}
	stop, err := h.Run(slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if errors.Is(err, hub.ErrManyNodes) {
		return cli.WithHint(err, "nats-server -c node-1.conf")
	}
	if err != nil {
		return cli.WithHint(err, "where the port is another's and nobody was invited yet, remove "+s.dir+" and say --host HOST:CLIENT:CLUSTER")
	}
	defer stop()
	if err := h.Announce(ctx); err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "the hub of team %s runs at %s until this ends\n", h.Team, h.Nodes[0].Host)
	<-ctx.Done()
	return nil
}

// open returns the hub, which it makes if there is none.
func (s *served) open(ctx context.Context, a *cli.App) (*hub.Hub, error) {
	var err error
	if s.dir, err = filepath.Abs(cmp.Or(s.dir, filepath.Join(a.Dir, "hub"))); err != nil {
		return nil, err
	}
	h, err := hub.Open(s.dir)
	if err == nil && s.host != "" && h.Nodes[0].Host != strings.Split(s.host, ":")[0] {
		a.Note("--host counts when a hub is made, and this one was made as " + h.Nodes[0].Host)
	}
	if !errors.Is(err, hub.ErrHub) {
		return h, err
	}
	given := s.host
	if given == "" {
		s.host = hub.Here()
		a.Note("colleagues reach this machine as " + s.host + "; --host says another name, before anybody is invited")
	}
	n, err := hub.ParseNode(s.host, 1)
	if err != nil {
		return nil, fmt.Errorf("--host: %w", err)
	}
	if given == "" {
		n.Listen = hub.AllAddresses // the address may change, and the machine is still this one
	}
	return hub.CreateServed(ctx, s.dir, s.team, n, time.Now())
}

// joinSelf makes this journal a member, by the name of its person, unless it is one of some team.
func (s *served) joinSelf(a *cli.App, h *hub.Hub) error {
	joined, err := team.Load(a.Dir)
	if err == nil && joined.Team != h.Team {
		a.Note("this journal is of another team, " + joined.Team + ", and stays there")
	}
	if !errors.Is(err, team.ErrNoMember) {
		return err
	}
	name := ownName()
	if _, err := h.Member(name); err == nil {
		a.Note("this journal is nobody of the team: " + s.again(name))
		return nil
	}
	in, err := h.Invite(name)
	if err == nil {
		_, err = team.Join(a.Dir, in[0])
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "this journal is %s of team %s; nothing is shared yet\n", name, h.Team)
	return nil
}

// ownName makes the name of a member of the user's.
func ownName() string {
	u, err := user.Current()
	if err != nil {
		return "me"
	}
	name := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, strings.ToLower(u.Username)), "-")
	if team.CheckName(name) != nil {
		return "me"
	}
	return name
}

// again returns the command for a new invitation.
func (s *served) again(name string) string {
	return "journal team invite --again " + name + " --hub " + s.dir
}

// invite prints the line by which a colleague joins, once.
func (s *served) invite(a *cli.App, h *hub.Hub, name string) error {
	if _, err := h.Member(name); err == nil {
		a.Note(name + " was invited before: " + s.again(name))
		return nil
	}
	in, err := h.Invite(name)
	if err != nil {
		return err
	}
	line, err := in[0].Line()
	if err != nil {
		return err
	}
	fmt.Fprintf(a.Out, "%s joins with:\n\njournal team join %s\n\n", name, line)
	return nil
}
