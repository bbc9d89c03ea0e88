package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"path/filepath"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/teamhub"
	"journal/journal/team"
	"journal/journal/team/hub"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	m := move{App: a}
	c := cli.NewCommand("move DIR", "move a hub of one machine to three nodes",
		`The first call writes into DIR what three nodes take, as journal team init does: with the members, keys
and trust of the hub that journal team serve runs. End that hub, start the nodes, and call it again: it
copies what the hub has. What is signed stays valid, and an interrupted copy goes on. Laptops wait
meanwhile, and give the new hub what came since.

  journal team move new --node n1.acme.org --node n2.acme.org --node n3.acme.org

If one of the nodes has the address that the hub had, laptops need nothing, and learn the others.
Otherwise each joins once more, by the line that is printed.`,
		func(c *cobra.Command, args []string) error {
			dir, err := filepath.Abs(args[0])
			if err != nil {
				return err
			}
			return m.run(c, dir)
		})
	c.Flags().StringVar(&m.from, "hub", "", "directory of the hub as it is (hub, in the journal's directory)")
	c.Flags().StringArrayVar(&m.nodes, "node", nil, "a server's HOST, or HOST:CLIENT:CLUSTER with its ports (4222, 6222)")
	return c
})

type move struct {
	*cli.App
	from  string
	nodes []string
}

func (m *move) run(c *cobra.Command, dir string) error {
	var err error
	if m.from, err = filepath.Abs(cmp.Or(m.from, filepath.Join(m.Dir, "hub"))); err != nil {
		return err
	}
	h, err := hub.Open(m.from)
	if err != nil {
		return cli.WithHint(err, "journal team serve, or --hub")
	}
	nodes, err := nodesOf(c, m.nodes)
	if err != nil {
		return err
	}
	to, made, err := h.MoveTo(c.Context(), dir, nodes)
	if err != nil {
		return err
	}
	if made {
		for _, name := range to.Files() {
			fmt.Fprintln(m.Out, filepath.Join(dir, name))
		}
		if err := hub.Remember(m.Dir, dir); err != nil {
			return err
		}
		m.Note("copy each node's files to it, end this hub, start the nodes (nats-server -c node-1.conf), and call this again")
		return nil
	}
	if err := m.copy(c.Context(), h, to); err != nil {
		return err
	}
	if to.Renewed {
		m.Note("the files have changed since they were made: copy them to every node that has its own, then: journal team reload --hub " + dir)
	}
	if err := to.CheckPorts(c.Context()); err != nil {
		return cli.WithHint(err, hub.ClosingPorts)
	}
	return m.tell(h, to, dir)
}

// copy gives the new hub what the old one has.
func (m *move) copy(ctx context.Context, h, to *hub.Hub) error {
	if h.Runs(ctx) {
		return cli.WithHint(hub.ErrRuns, "end journal team serve, and call this again")
	}
	if err := to.Reload(ctx); err != nil {
		return cli.WithHint(err, "start every node: nats-server -c node-1.conf")
	}
	if err := announce(ctx, m.App, to); err != nil {
		return err
	}
	url, stop, err := teamhub.StartAside(m.from, h, slog.New(slog.NewTextHandler(m.Err, &slog.HandlerOptions{Level: slog.LevelWarn})))
	if err != nil {
		return err
	}
	defer stop()
	n, err := to.Take(ctx, url)
	if err != nil {
		return err
	}
	fmt.Fprintf(m.Out, "%s copied to %s\n", cli.Counted(n, "message"), cli.Counted(len(to.Nodes), "node"))
	return nil
}

// tell says what laptops have to do, and writes the invitations anew.
func (m *move) tell(h, to *hub.Hub, dir string) error {
	own, err := team.Load(m.Dir)
	if err == nil && own.Team == to.Team {
		if _, err := team.Join(m.Dir, to.Readdress(own.Member)); err != nil {
			return err
		}
	}
	if to.Reaches(h) {
		m.Note("laptops need nothing: they reach a node at the address that they know, and learn the others")
	}
	for _, is := range to.Members {
		if err := m.readdress(to, is, dir, !to.Reaches(h) && is.Name != own.Name); err != nil {
			return err
		}
	}
	return h.Leaves(dir)
}

// readdress writes a member's invitation anew, and prints the line for a laptop that joins once more.
func (m *move) readdress(to *hub.Hub, is hub.Member, dir string, line bool) error {
	in, err := team.ReadMember(invitationName(m.from, is.Name))
	if errors.Is(err, fs.ErrNotExist) || is.Revoked {
		if line && !is.Revoked {
			m.Note("the invitation of " + is.Name + " is not here any more; try: journal team invite --again " + is.Name + " --hub " + dir)
		}
		return nil
	}
	if err != nil {
		return err
	}
	in = to.Readdress(in)
	if err := writeInvitation(invitationName(dir, is.Name), in); err != nil || !line {
		return err
	}
	text, err := in.Line()
	if err != nil {
		return err
	}
	fmt.Fprintf(m.Out, "%s joins once more with:\n\njournal team join %s\n\n", is.Name, text)
	return nil
}
