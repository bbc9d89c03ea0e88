// Package hub writes the configuration of a team's hub for nats-server, with an account for each member, and the invitations.
//
// A hub is a directory of its operator: hub.json holds its state, with the keys of the hub;
// NODE.conf is for a server; accounts.conf is for all servers when they start. Reload sends later changes to them.
//
// Accounts are JWTs that the hub's operator signs. HUB owns all streams, one for each member and ROSTER. A member's account
// has no stream, and imports the services of HUB; SYS is the account of the servers. No member can name
// the subjects of another, also not as the subject of an answer.
package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/nats-io/nkeys"

	"journal/embedded/team"
	"journal/journal/disk"
)

var (
	// ErrNoHub is returned for a directory that holds no hub.
	ErrNoHub = errors.New("no hub is kept here")
	// ErrOldHub is returned for a hub whose files have another version.
	ErrOldHub = errors.New("this hub's files have a version that this program does not read, such as those made before the first release; use the program that made it, or make a new one with journal team init or serve, and invite the members again")
	// ErrTaken is returned for the name of a member, also of a revoked one.
	ErrTaken = errors.New("that name is taken")
)

const hubName = "hub.json"

// Hub is the state of a hub, as its operator's directory holds it.
type Hub struct {
	Team    string   `json:"team"`
	Nodes   []Node   `json:"nodes"`
	TLS     TLS      `json:"tls,omitzero"`
	Limits  Limits   `json:"limits"`
	Members []Member `json:"members"`
	// Admin is the key of the system account of the hub's servers.
	Admin team.Key `json:"admin"`
	// Key is of a user who may do everything in the account HUB, which owns all streams.
	Key team.Key `json:"key"`
	// Issuer is the seed that signs the roster.
	Issuer string `json:"issuer"`
	// RosterNumber is that of the newest roster.
	RosterNumber uint64 `json:"told"`
	// Secret authenticates nodes to each other at their cluster ports; empty for one node.
	Secret   string   `json:"secret,omitempty"`
	Operator Operator `json:"operator"`
	Cluster  *Cluster `json:"cluster,omitempty"` // nil: the servers are the hub's own
	// Form is the version of the hub's files.
	Form int `json:"form"`
	dir  string
}

// form is the version of a hub's files that this program reads and writes.
const form = 3

// Node is a server of a hub.
type Node struct {
	Name    string `json:"name"`
	Host    string `json:"host"`
	Client  int    `json:"client"`  // port for laptops
	Cluster int    `json:"cluster"` // port for the other nodes
	Listen  string `json:"listen"`  // address that the node listens on
}

// TLS holds the paths of the certificate and key on the servers. There is TLS if Cert or Theirs is set.
type TLS struct {
	Cert string `json:"cert,omitempty"`
	Key  string `json:"key,omitempty"`
	CA   string `json:"ca,omitempty"` // PEM, for invitations; empty: members trust what their systems trust
	// Theirs is set if the servers of an existing cluster use TLS.
	Theirs bool `json:"theirs,omitempty"`
}

// On reports whether there is TLS.
func (t TLS) On() bool { return t.Cert != "" || t.Theirs }

// Limits bound each member.
type Limits struct {
	Bytes int64 `json:"bytes"` // of what a member shares, counted once for all replicas
}

// Member is a person or machine that was invited.
type Member struct {
	Name    string  `json:"name"`
	Key     string  `json:"key"` // public
	Account Account `json:"account"`
	Revoked bool    `json:"revoked,omitempty"`
	// Former are the member's earlier public keys. They still verify what was uploaded with them, and can no longer connect.
	Former []string `json:"former,omitempty"`
}

// Defaults of a hub.
const (
	defaultBytes = 4 << 30
	clientPort   = 4222
	clusterPort  = 6222
)

// ParseNode reads HOST or HOST:CLIENT:CLUSTER.
func ParseNode(s string, n int) (Node, error) {
	parts := strings.Split(s, ":")
	node := Node{Name: "node-" + strconv.Itoa(n), Host: parts[0], Client: clientPort, Cluster: clusterPort, Listen: listenAddress(parts[0])}
	if len(parts) == 1 && parts[0] != "" {
		return node, nil
	}
	if len(parts) != 3 || parts[0] == "" {
		return node, fmt.Errorf("%q is neither HOST nor HOST:CLIENT:CLUSTER", s)
	}
	for i, port := range []*int{&node.Client, &node.Cluster} {
		p, err := strconv.ParseUint(parts[i+1], 10, 16)
		if err != nil || p == 0 {
			return node, fmt.Errorf("%q is no port", parts[i+1])
		}
		*port = int(p)
	}
	return node, nil
}

// Create makes a hub in a directory and writes its files. h holds the team, nodes, limits and TLS, and of an existing cluster also Cluster and
// the operator's seed.
func Create(ctx context.Context, dir string, h Hub) (*Hub, error) {
	if err := team.CheckName(h.Team); err != nil {
		return nil, err
	}
	if len(h.Nodes) != 1 && len(h.Nodes) < 3 {
		return nil, errors.New("a hub has 1 node, or 3 and more: two are less safe than one, because each alone stops both")
	}
	if _, err := os.Lstat(filepath.Join(dir, hubName)); err == nil {
		return nil, fmt.Errorf("%s: %w", dir, os.ErrExist)
	}
	h.dir, h.Form = dir, form
	h.Limits.Bytes = cmp.Or(h.Limits.Bytes, defaultBytes)
	var err error
	if h.Cluster != nil {
		err = h.Cluster.check(ctx)
	} else {
		h.Admin, err = h.Operator.create(h.Team)
	}
	h.Issuer, _ = newKey(nkeys.PrefixByteUser)
	if err == nil {
		h.Key, err = h.Operator.createHub()
	}
	if err == nil {
		err = disk.MakePrivate(dir)
	}
	if err == nil && h.Cluster == nil {
		err = h.writeNodes()
	}
	if err != nil {
		return nil, err
	}
	return &h, h.save()
}

// hubBytes bounds the file of a hub, in which a member takes some 4 KB.
const hubBytes = 64 << 20

// Open reads the hub of a directory. The error is ErrNoHub where there is none, and ErrOldHub for one whose format is not
// supported.
func Open(dir string) (*Hub, error) {
	b, err := disk.ReadFile(filepath.Join(dir, hubName), hubBytes)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrNoHub, dir)
	}
	h := &Hub{dir: dir}
	if err == nil {
		err = json.Unmarshal(b, h)
	}
	if err == nil && h.Form != form {
		err = ErrOldHub
	}
	if err != nil {
		return nil, fmt.Errorf("hub %s: %w", dir, err)
	}
	return h, nil
}

// change calls do with the hub as its files have it now, and saves the result, under a lock: two calls do not undo each other. After an
// error h is as before, and after one of do also the files.
func (h *Hub) change(do func(now *Hub) error) error {
	return disk.Locked(filepath.Join(h.dir, "lock"), func() error {
		now, err := Open(h.dir)
		if err == nil {
			err = do(now)
		}
		if err == nil {
			err = now.save()
		}
		if err == nil {
			*h = *now
		}
		return err
	})
}

// Invite adds members and returns their invitations. Either all are added or, with an error, none. The error is ErrTaken for
// a name that was used, also by somebody who was revoked: what they left at the hub is not for another.
func (h *Hub) Invite(names ...string) ([]team.Member, error) {
	return h.admitAll(names, func(now *Hub, name string) (*Member, error) {
		if _, err := now.Member(name); err == nil {
			return nil, fmt.Errorf("%q: %w", name, ErrTaken)
		}
		now.Members = append(now.Members, Member{Name: name, Account: newAccount()})
		return &now.Members[len(now.Members)-1], team.CheckName(name)
	})
}

// Renew gives members, also revoked ones, new keys for the accounts that they have. Their earlier keys can no longer connect.
// Either all get keys or, with an error, none.
func (h *Hub) Renew(names ...string) ([]team.Member, error) {
	return h.admitAll(names, func(now *Hub, name string) (*Member, error) {
		m, err := now.Member(name)
		if err == nil {
			m.Revoked, m.Former = false, append(m.Former, m.Key)
		}
		return m, err
	})
}

// admitAll admits the member that a function returns for each name. The hub's files, which name all members, are written once.
func (h *Hub) admitAll(names []string, member func(now *Hub, name string) (*Member, error)) (invitations []team.Member, err error) {
	err = h.change(func(now *Hub) error {
		for _, name := range names {
			m, err := member(now, name)
			if err != nil {
				return err
			}
			invitation, err := now.admit(m)
			if err != nil {
				return err
			}
			invitations = append(invitations, invitation)
		}
		return nil
	})
	return invitations, err
}

// admit makes a key for a member, and returns the invitation.
func (h *Hub) admit(m *Member) (team.Member, error) {
	in := team.Member{
		Version: team.Version, Team: h.Team, Name: m.Name, Hub: h.urls(), CA: h.TLS.CA, Replicas: h.replicas(), Account: m.Account.ID,
	}
	issuer, err := nkeys.FromSeed([]byte(h.Issuer))
	if err == nil {
		in.Issuer, err = issuer.PublicKey()
	}
	if err == nil {
		in.Key, m.Key, err = newUser(m.Name, m.Account)
	}
	if err == nil {
		err = h.Operator.signMember(m)
	}
	return in, err
}

// Revoke has the hub refuse a member's keys; what was shared stays.
func (h *Hub) Revoke(name string) error {
	return h.change(func(now *Hub) error {
		m, err := now.Member(name)
		if err != nil {
			return err
		}
		m.Revoked = true
		return now.Operator.signMember(m)
	})
}

// Member returns the member of a name, also a revoked one. Without such a member it returns an error.
func (h *Hub) Member(name string) (*Member, error) {
	for i := range h.Members {
		if h.Members[i].Name == name {
			return &h.Members[i], nil
		}
	}
	return nil, fmt.Errorf("%q: nobody has that name", name)
}

// replicas returns the number of nodes that hold each copy: 1 or 3.
func (h *Hub) replicas() int { return min(len(h.Nodes), 3) }

// save writes the files that change with the members. The configuration of a node is written once, and then is the operator's to change.
func (h *Hub) save() error {
	b, _ := json.MarshalIndent(h, "", "  ") // strings and numbers cannot fail
	err := disk.ReplaceShared(filepath.Join(h.dir, hubName), append(b, '\n'))
	if err == nil && h.Cluster == nil {
		err = h.writeConf("accounts.conf", "accounts.conf.tmpl", h)
	}
	return err
}

// Accounts returns the account HUB and those of the members.
func (h *Hub) Accounts() []Account {
	all := []Account{h.Operator.Hub}
	for _, m := range h.Members {
		all = append(all, m.Account)
	}
	return all
}

// newKey makes a key pair of a kind that nkeys knows. That cannot fail: the random source of the system does not.
func newKey(kind nkeys.PrefixByte) (seed, public string) {
	pair, _ := nkeys.CreatePair(kind)
	b, _ := pair.Seed()
	public, _ = pair.PublicKey()
	return string(b), public
}
