package team

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"log/slog"
	"os/user"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/team"
	"journal/embedded/team/hub"
	"journal/events/text"
	"journal/journal/agents/install"
	"journal/journal/disk"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var h hub.Hub
	var nodes []string
	var ca, cluster, operatorKey string
	var plain bool
	var gigabytes int
	c := cli.NewCommand("init DIR", "the configuration of a team's NATS servers",
		`Writes into DIR what nats-server (2.14 or later) takes: a file for each node, and accounts.conf for all of them. One node is enough to
begin with; three keep every copy three times. DIR holds keys: it stays with who runs the servers. docs/TEAM.md has examples.

An existing cluster stays as it is. --context names a context of the nats command, whose user is of the account of the servers, and
--operator-key a file with the seed of its operator or of a signing key.`,
		func(c *cobra.Command, args []string) error {
			if h.Team == "" || len(nodes) == 0 {
				return cli.Usage(errors.New("--name and --node say which team, and where"))
			}
			for i, s := range nodes {
				n, err := hub.ParseNode(s, i+1)
				if err != nil {
					return cli.Usage(fmt.Errorf("--node: %w", err))
				}
				h.Nodes = append(h.Nodes, n)
			}
			hasCert, hasKey := h.TLS.Cert != "", h.TLS.Key != ""
			switch {
			case cluster == "" && operatorKey == "": // servers of the team's own
				if plain && (hasCert || hasKey || ca != "") || !plain && !(hasCert && hasKey) {
					return cli.Usage(errors.New("--cert and --key for TLS, or --plain on a network that nobody else is on"))
				}
			case cluster == "" || operatorKey == "" || hasCert || hasKey || plain && ca != "":
				return cli.Usage(errors.New("a cluster that there is takes --context and --operator-key, and has certificates of its own"))
			default:
				seed, err := hub.ParseOperatorKey(operatorKey)
				if err != nil {
					return err
				}
				h.Cluster, h.Operator, h.TLS.Theirs = &hub.Cluster{Context: cluster}, hub.Operator{Seed: seed}, !plain
			}
			if ca != "" {
				b, err := disk.ReadFile(ca, certificateBytes)
				if err != nil {
					return err
				}
				if !x509.NewCertPool().AppendCertsFromPEM(b) {
					return cli.Usage(fmt.Errorf("--ca: %s holds no certificate", ca))
				}
				h.TLS.CA = string(b)
			}
			h.Limits.Bytes = int64(gigabytes) << 30
			if _, err := hub.Create(c.Context(), args[0], h); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "the hub of team %s is in %s\n", h.Team, args[0])
			if h.Cluster == nil {
				a.Note("copy node-N.conf, node-N.route.pem and accounts.conf to node N, and start it: nats-server -c node-N.conf")
			}
			a.Note("then journal team reload --hub " + install.Quote(args[0]) + ", and journal team invite NAME")
			return nil
		})
	c.Flags().StringVar(&h.Team, "name", "", "of the team")
	c.Flags().StringArrayVar(&nodes, "node", nil, "a server's HOST, or HOST:CLIENT:CLUSTER with its ports (4222, 6222)")
	c.Flags().StringVar(&h.TLS.Cert, "cert", "", "certificate, as the file is called on the servers")
	c.Flags().StringVar(&h.TLS.Key, "key", "", "its key")
	c.Flags().StringVar(&ca, "ca", "", "file of the authority that signed it, unless laptops trust that anyway")
	c.Flags().BoolVar(&plain, "plain", false, "no TLS")
	c.Flags().StringVar(&cluster, "context", "", "context of the nats command (name or file), for a cluster that there is")
	c.Flags().StringVar(&operatorKey, "operator-key", "", "file with the seed of that cluster's operator, or of a signing key")
	cli.CountFlag(c, &gigabytes, "gigabytes", "", 0, 1, maxGigabytes, "bound of what a member may keep there (4)")
	return c
})

// maxGigabytes bounds --gigabytes, whose value in bytes has to fit an int64.
const maxGigabytes = 1_000_000

// certificateBytes bounds a file of certificates; those of a whole system take 300 KB.
const certificateBytes = 1 << 20

// hubVerb returns a verb for the operator of a hub. --hub names its directory.
func hubVerb(use, short, long string, run func(c *cobra.Command, h *hub.Hub, dir string, args []string) error) *cobra.Command {
	var dir string
	c := cli.NewCommand(use, short, long, func(c *cobra.Command, args []string) error {
		h, err := hub.Open(dir)
		if err != nil {
			return err
		}
		return run(c, h, dir, args)
	})
	c.Flags().StringVar(&dir, "hub", ".", "directory of journal team init")
	return c
}

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var again bool
	c := hubVerb("invite NAME...", "one file with everything that a new member needs",
		`Adds members to the hub and writes NAME.invitation for each, which holds the member's keys: send it as you would a password. The servers
know them after journal team reload. --again gives a member, also a revoked one, new keys in place of those before; they join again and
go on with what is shared.`,
		func(_ *cobra.Command, h *hub.Hub, dir string, args []string) error {
			admit := h.Invite
			if again {
				admit = h.Renew
			}
			in, err := admit(args...)
			if err != nil {
				return err
			}
			for _, m := range in {
				path := filepath.Join(dir, m.Name+".invitation")
				if err := disk.ReplaceShared(path, m.Encode()); err != nil { // the keys in an earlier file no longer count
					return err
				}
				fmt.Fprintln(a.Out, path)
			}
			a.Note("have the servers know: journal team reload --hub " + install.Quote(dir))
			return nil
		})
	c.Flags().BoolVar(&again, "again", false, "new keys for who is or was a member")
	return c
})

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	return hubVerb("revoke NAME", "a member's keys count no more",
		`Takes a member's keys out of the hub, whose servers know it at once: their laptops are disconnected, nobody can read as them, and agents
are not told any more what they told. What they shared stays.`,
		func(c *cobra.Command, h *hub.Hub, dir string, args []string) error {
			name := args[0]
			if err := h.Revoke(name); err != nil {
				return err
			}
			err := h.Reload(c.Context())
			switch {
			case err == nil:
				err = h.Announce(c.Context())
			case h.Served():
				a.Note("the hub does not run; it takes nobody with these keys when it starts")
				err = nil
			default:
				err = fmt.Errorf("%s reads and tells until the servers know: %w", name, err)
			}
			if err != nil {
				return cli.WithHint(err, "journal team reload --hub "+install.Quote(dir))
			}
			fmt.Fprintf(a.Out, "%s is revoked\n", name)
			return nil
		})
})

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	return hubVerb("reload", "the hub's servers read who is in the team, and tell it",
		`To be called once after the first start, and after each invitation. Sends the servers the accounts of all members, gives each new member
a place, ends the connections of those who are revoked, and names each node that cannot be reached.`,
		func(c *cobra.Command, h *hub.Hub, _ string, _ []string) error {
			for _, step := range []func(context.Context) error{h.Reload, h.Announce, h.CheckPorts} {
				if err := step(c.Context()); err != nil {
					return cli.WithHint(err, "start every node: nats-server -c node-1.conf")
				}
			}
			fmt.Fprintf(a.Out, "%s read it\n", text.Counted(len(h.Nodes), "node"))
			return nil
		})
})

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var s serveFlags
	c := cli.NewCommand("serve [NAME...]", "run a team's hub on this machine, and invite colleagues to it",
		`Runs a hub in the foreground: one server, with TLS and a certificate of its own that invitations name. The first call makes it, and this
journal joins it. For each NAME it prints the line that makes a colleague's journal a member; send it as you would a password.

While it runs, another call invites more colleagues and ends. Without the process laptops go on as before and catch up later.`,
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

// serveFlags are the flags of journal team serve. open makes dir absolute.
type serveFlags struct{ dir, team, host string }

// run makes the hub if there is none, invites, and runs the hub until ctx ends, unless another process runs it.
func (s *serveFlags) run(ctx context.Context, a *cli.App, names []string) error {
	h, err := s.open(ctx, a)
	if err != nil {
		return err
	}
	if err := s.inviteAll(a, h, names); err != nil {
		return err
	}
	if len(h.Members) < 2 {
		a.Note("invite a colleague: journal team serve NAME")
	}
	if h.Reload(ctx) == nil {
		a.Note("the hub runs already, and knows who is in the team")
		return h.Announce(ctx)
	}
	stop, err := h.Run(slog.New(slog.NewTextHandler(a.Err, &slog.HandlerOptions{Level: slog.LevelWarn})))
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

// open returns the hub, and makes one if there is none.
func (s *serveFlags) open(ctx context.Context, a *cli.App) (*hub.Hub, error) {
	var err error
	if s.dir, err = filepath.Abs(cmp.Or(s.dir, filepath.Join(a.Dir, "hub"))); err != nil {
		return nil, err
	}
	h, err := hub.Open(s.dir)
	if err == nil && s.host != "" && h.Nodes[0].Host != strings.Split(s.host, ":")[0] {
		a.Note("--host counts when a hub is made, and this one was made as " + h.Nodes[0].Host)
	}
	if !errors.Is(err, hub.ErrNoHub) {
		return h, err
	}
	n, err := hub.ParseNode(cmp.Or(s.host, hub.Here()), 1)
	if err != nil {
		return nil, fmt.Errorf("--host: %w", err)
	}
	if s.host == "" {
		n.Listen = hub.AllAddresses // so that the hub is reached when the address of this machine has changed
		a.Note("colleagues reach this machine as " + n.Host + "; --host says another name, before anybody is invited")
	}
	return hub.CreateServed(ctx, s.dir, s.team, n)
}

// inviteAll makes this journal a member with the name of its user, unless it belongs to a team, and prints the lines by which colleagues join.
func (s *serveFlags) inviteAll(a *cli.App, h *hub.Hub, names []string) error {
	joined, err := team.Load(a.Dir)
	if err == nil && joined.Team != h.Team {
		a.Note("this journal is of another team, " + joined.Team + ", and stays there")
	}
	if errors.Is(err, team.ErrNoMember) {
		err = s.invite(a, h, ownName(), func(in team.Member) error {
			if _, err := team.Join(a.Dir, in); err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "this journal is %s of team %s; nothing is shared yet\n", in.Name, h.Team)
			return nil
		})
	}
	for _, name := range names {
		err = errors.Join(err, s.invite(a, h, name, func(in team.Member) error {
			fmt.Fprintf(a.Out, "%s joins with:\n\njournal team join %s\n\n", name, in.Line())
			return nil
		}))
	}
	return err
}

// ownName returns the user's name in the form of a member's name, else "me".
func ownName() string {
	if u, err := user.Current(); err == nil {
		name := strings.Trim(regexp.MustCompile(`[^a-z0-9]`).ReplaceAllString(strings.ToLower(u.Username), "-"), "-")
		if team.CheckName(name) == nil {
			return name
		}
	}
	return "me"
}

// invite passes the invitation of a new member to hand. A name that was invited before gets no other invitation, but a note.
func (s *serveFlags) invite(a *cli.App, h *hub.Hub, name string, hand func(team.Member) error) error {
	if _, err := h.Member(name); err == nil {
		a.Note(name + " was invited before: journal team invite --again " + name + " --hub " + install.Quote(s.dir))
		return nil
	}
	in, err := h.Invite(name)
	if err != nil {
		return err
	}
	return hand(in[0])
}
