package team

import (
	"crypto/x509"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"journal/cmd/journal/cli"
	"journal/embedded/team/hub"
	"journal/journal/disk"
)

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	var h hub.Hub
	var nodes []string
	var ca, cluster, operatorKey string
	var plain bool
	var gigabytes int
	c := cli.NewCommand("init DIR", "the configuration of a team's NATS servers",
		`Writes into DIR what nats-server (2.14 or later) takes: a file for each node, and accounts.conf
for all of them. One node is enough to begin with; three keep every copy three times. DIR holds keys:
it stays with who runs the servers.

  journal team init hub --name acme --node n1.acme.org --node n2.acme.org \
    --node n3.acme.org --cert /etc/nats/hub.crt --key /etc/nats/hub.key

A cluster that there is, with an operator and a resolver of type full, is told instead: --context names
a context of the nats command, whose user is of the account of the servers, and --operator-key a file
with the seed of the operator or of a signing key. Its configuration stays as it is; its servers need JetStream
(nats-server 2.14 or later) and "resolver: { type: full }".

  journal team init hub --name acme --node n1.acme.org --context system \
    --operator-key signing.nk`,
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
			if cluster != "" || operatorKey != "" {
				if cluster == "" || operatorKey == "" || h.TLS.Cert != "" || h.TLS.Key != "" {
					return cli.Usage(errors.New("a cluster that there is takes --context and --operator-key, and has certificates of its own"))
				}
				seed, err := hub.ParseOperatorKey(operatorKey)
				if err != nil {
					return err
				}
				h.Cluster, h.Operator, h.TLS.Theirs = &hub.Cluster{Context: cluster}, hub.Operator{Seed: seed}, !plain
			} else if (h.TLS.Cert == "") != (h.TLS.Key == "") || (h.TLS.Cert == "") != plain {
				return cli.Usage(errors.New("--cert and --key for TLS, or --plain on a network that nobody else is on"))
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
			made, err := hub.Create(c.Context(), args[0], h)
			if errors.Is(err, hub.ErrContext) {
				return cli.WithHint(err, "nats context ls; nats --context "+cluster+" server ls")
			}
			if err != nil {
				return err
			}
			printHub(a, args[0], made)
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

// maxGigabytes bounds what a member may be given: in bytes it is still a number.
const maxGigabytes = 1_000_000

// certificateBytes bounds a file of certificates: those of a whole system are 300 KB.
const certificateBytes = 1 << 20

// printHub prints the files of a hub and what to do with them.
func printHub(a *cli.App, dir string, h *hub.Hub) {
	for _, name := range h.Files() {
		fmt.Fprintln(a.Out, filepath.Join(dir, name))
	}
	if h.Cluster == nil {
		a.Note("copy its files and accounts.conf to each node, and start it with them: nats-server -c node-1.conf")
	}
	a.Note("then journal team reload --hub " + dir + ", and journal team invite NAME")
}

// hubVerb makes a verb for the operator of a hub, which --hub names.
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
		`Adds members to the hub and writes NAME.invitation for each, which holds the member's keys: give it to them as
you would a password. The servers know them after journal team reload. --again gives new keys to who is a member, or was until revoked; the keys before count
no more. They join with the new invitation, and go on with what is shared.`,
		func(_ *cobra.Command, h *hub.Hub, dir string, args []string) error {
			admit := h.Invite
			if again {
				admit = h.Renew
			}
			in, err := admit(args...)
			if errors.Is(err, hub.ErrTaken) {
				has := slices.IndexFunc(args, func(name string) bool { _, err := h.Member(name); return err == nil })
				return cli.WithHint(err, "journal team invite --again "+args[max(has, 0)]+", which gives who has it new keys")
			}
			if err != nil {
				return err
			}
			for _, m := range in {
				b, err := m.Encode()
				if err != nil {
					return err
				}
				path := filepath.Join(dir, m.Name+".invitation")
				if err := disk.ReplaceShared(path, b); err != nil { // one that is there holds keys that count no more
					return err
				}
				fmt.Fprintln(a.Out, path)
			}
			a.Note("have the servers know: journal team reload --hub " + dir)
			return nil
		})
	c.Flags().BoolVar(&again, "again", false, "new keys for who is or was a member")
	return c
})

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	return hubVerb("revoke NAME", "a member's keys count no more",
		`Takes a member's keys out of the hub, whose servers know it at once: their laptops are disconnected, nobody can
read as them, and agents are not told any more what they told. What they shared stays.`,
		func(c *cobra.Command, h *hub.Hub, dir string, args []string) error {
			name := args[0]
			if err := h.Revoke(name); err != nil {
				return err
			}
			err := h.Reload(c.Context())
			switch {
			case err == nil:
				err = cli.WithHint(h.Announce(c.Context()), "journal team reload --hub "+dir)
			case h.Served():
				a.Note("the hub does not run; it takes nobody with these keys when it starts")
				err = nil
			default:
				err = cli.WithHint(fmt.Errorf("%s reads and tells until the servers know: %w", name, err), "journal team reload --hub "+dir)
			}
			if err == nil {
				fmt.Fprintf(a.Out, "%s is revoked\n", name)
			}
			return err
		})
})

var _ = teamVerb(func(a *cli.App) *cobra.Command {
	return hubVerb("reload", "the hub's servers read who is in the team, and tell it",
		`To be called once after the first start, and after each invitation. Sends the servers the accounts of all members, gives
each new member a place, ends the connections of those who are revoked, and names each node that cannot be reached.`,
		func(c *cobra.Command, h *hub.Hub, _ string, _ []string) error {
			if err := h.Reload(c.Context()); err != nil {
				return cli.WithHint(err, "start every node: nats-server -c node-1.conf")
			}
			if err := h.Announce(c.Context()); err != nil {
				return err
			}
			if err := h.CheckPorts(c.Context()); err != nil {
				return cli.WithHint(err, hub.ClosingPorts)
			}
			fmt.Fprintf(a.Out, "%s read it\n", cli.Counted(len(h.Nodes), "node"))
			return nil
		})
})
