package team

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/journal/team"
	"journal/journal/team/grants"
	"journal/journal/team/hub"
	"journal/journal/team/peers"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var everyone bool
	c := cli.NewCommand("grant [PROJECT [MEMBER...]]", "who may read a project that is shared",
		`Without a grant the whole team may read what is shared. The first one restricts a project of this
machine to the members that are granted it, and to the member's own machines: its events are sealed at
the hub, for other members and for whoever runs it. What was there in the open goes. A name that nobody has
yet is said, and counts for whoever joins with it. Without arguments it says who may read what;
--everyone ends the restriction.

  journal team grant . bob
  journal team revoke . bob`,
		func(c *cobra.Command, args []string) error {
			m, err := mayGrant(a)
			switch {
			case err != nil:
				return err
			case everyone && len(args) > 1:
				return cli.Usage(c, errors.New("--everyone takes no members"))
			case !everyone && len(args) == 1:
				return cli.WithHint(errors.New("a member says who may read it"), "journal team grant "+args[0]+" MEMBER")
			case len(args) == 0:
				g, err := grants.Load(a.Dir)
				if err == nil {
					showGrants(a, g)
				}
				return err
			}
			key := a.ProjectKey(args[0])
			g, err := grants.Change(a.Dir, func(g grants.Grants) (grants.Grants, error) {
				if everyone {
					g = g.Open(key)
				}
				for _, member := range args[1:] {
					if err := team.CheckName(member); err != nil {
						return g, err
					}
					g = g.Give(key, member)
				}
				return g, nil
			})
			if err != nil {
				return err
			}
			showGrants(a, g)
			a.LetOwnerRun(c.Context())
			if len(args) > 1 {
				noteStrangers(c.Context(), a, m, args[1:])
			}
			return nil
		})
	c.Flags().BoolVar(&everyone, "everyone", false, "the whole team may read it again")
	return c
})

// mayGrant gives who says who may read what; the error says why nobody here can.
func mayGrant(a *cli.App) (m team.Membership, err error) {
	m, err = team.Load(a.Dir)
	if err == nil && m.Issuer == "" {
		err = cli.WithHint(errors.New("the invitation does not say by whose word members have their keys"), "ask for a new one: journal team invite --again "+m.Name)
	}
	return m, err
}

// noteStrangers says which names are no member's: somebody may have meant another.
func noteStrangers(ctx context.Context, a *cli.App, m team.Membership, names []string) {
	there, err := peers.Reach(ctx, m.Member)
	if err != nil {
		a.Note("nobody looked whether the team has " + strings.Join(names, ", ") + ": " + cli.HubTrouble(err).Error())
		return
	}
	defer there.Close()
	members := there.Members()
	for _, name := range names {
		if !slices.Contains(members, name) {
			a.Note(fmt.Sprintf("nobody is called %s yet; the right waits for whoever joins with that name; members are: %s", name, strings.Join(members, ", ")))
		}
	}
}

func showGrants(a *cli.App, g grants.Grants) {
	if len(g.Projects) == 0 {
		fmt.Fprintln(a.Out, "the whole team may read what is shared")
	}
	for _, project := range g.Restricted() {
		to := strings.Join(slices.Sorted(maps.Keys(g.Projects[project].Members)), ", ")
		fmt.Fprintf(a.Out, "%s: %s\n", project, cmp.Or(to, "nobody else"))
	}
}

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var dir string
	c := cli.NewCommand("revoke NAME | PROJECT MEMBER", "a member's keys count no more, or a member reads a project no more",
		`With one name it takes a member's keys out of the hub. One that journal team serve runs, and a cluster that there
is, know it at once: their laptops are disconnected, nobody can read as them, and agents are not told any more what they told. The
nodes of other hubs know it when they have read their new accounts.conf, by journal team reload. What they shared stays.

With a project and a member it ends what journal team grant gave: what comes from then on is sealed with
a new key. What the member has read, they have read.`,
		func(c *cobra.Command, args []string) error {
			if len(args) == 2 {
				return revokeGrant(c.Context(), a, args[0], args[1])
			}
			h, err := openHub(a, dir)
			if err != nil {
				return err
			}
			return revokeMember(c.Context(), a, h, dir, args[0])
		})
	c.Args = cobra.RangeArgs(1, 2)
	c.Flags().StringVar(&dir, "hub", ".", "directory of journal team init")
	return c
})

// revokeMember takes a member's keys away, and says what is left to do before it says that it is done.
func revokeMember(ctx context.Context, a *cli.App, h *hub.Hub, dir, name string) error {
	if err := h.Revoke(name); err != nil {
		return err
	}
	if !h.Served() && h.Cluster == nil {
		a.Note(name + " reads and tells as before until every node has its new accounts.conf: copy it there, then: journal team reload --hub " + dir)
		fmt.Fprintf(a.Out, "%s is revoked in %s\n", name, dir)
		return nil
	}
	if err := h.Reload(ctx); err != nil {
		if !h.Served() {
			return cli.WithHint(err, "journal team reload --hub "+dir)
		}
		a.Note("the hub does not run; it takes nobody with these keys when it starts")
	} else if err := announce(ctx, a, h); err != nil {
		return cli.WithHint(err, "journal team reload --hub "+dir)
	}
	fmt.Fprintf(a.Out, "%s is revoked\n", name)
	return nil
}

func revokeGrant(ctx context.Context, a *cli.App, project, member string) error {
	if _, err := mayGrant(a); err != nil {
		return err
	}
	key := a.ProjectKey(project)
	g, err := grants.Change(a.Dir, func(g grants.Grants) (grants.Grants, error) {
		if _, ok := g.Projects[key].Members[member]; !ok {
			return g, cli.WithHint(fmt.Errorf("%s was not granted %s", member, key), "journal team grant")
		}
		return g.Take(key, member), nil
	})
	if err != nil {
		return err
	}
	showGrants(a, g)
	a.LetOwnerRun(ctx)
	return nil
}
