package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/nats-io/nkeys"

	"journal/journal/disk"
	"journal/journal/team"
)

var (
	// ErrHub is returned for a directory that holds no hub.
	ErrHub = errors.New("no hub is kept here")
	// ErrTaken is returned for a name that somebody has or had.
	ErrTaken = errors.New("that name is taken")
	// ErrUnknown is returned for a name that nobody has.
	ErrUnknown = errors.New("nobody has that name")
)

const (
	hubName      = "hub.json"
	accountsName = "accounts.conf"
	requiredName = "required.conf"
)

// Hub is what whoever runs it knows of a hub.
type Hub struct {
	Team    string   `json:"team"`
	Domain  string   `json:"domain"`
	Nodes   []Node   `json:"nodes"`
	TLS     TLS      `json:"tls,omitzero"`
	Limits  Limits   `json:"limits"`
	Members []Member `json:"members"`
	// Admin may do everything there, by the account of the servers.
	Admin team.Key `json:"admin"`
	// Roster may do everything in the account ROSTER, and nothing else.
	Roster   team.Key  `json:"roster"`
	Operator *Operator `json:"operator,omitempty"` // nil: accounts stand in the configuration itself
	Cluster  *Cluster  `json:"cluster,omitempty"`  // nil: the servers are the hub's own
	dir      string
}

// Node is one server of a hub.
type Node struct {
	Name    string `json:"name"`
	Host    string `json:"host"`
	Client  int    `json:"client"`  // port for clients
	Leaf    int    `json:"leaf"`    // port for laptops
	Cluster int    `json:"cluster"` // port for the other nodes
}

// TLS names files as they are called on the servers. Without Cert there is no TLS.
type TLS struct {
	Cert string `json:"cert,omitempty"`
	Key  string `json:"key,omitempty"`
	CA   string `json:"ca,omitempty"` // PEM, given to members; empty: what their systems trust
	// Theirs says that the servers of a cluster that there is have certificates.
	Theirs bool `json:"theirs,omitempty"`
}

// On says whether there is TLS.
func (t TLS) On() bool { return t.Cert != "" || t.Theirs }

// Limits bound each member.
type Limits struct {
	Bytes   int64 `json:"bytes"`   // of the copies, each counted once for every replica
	Streams int   `json:"streams"` // two for each device: one takes the place of the other
}

// Member is who was invited.
type Member struct {
	Name    string `json:"name"`
	Upload  string `json:"upload"` // public keys
	Reader  string `json:"reader"`
	Account string `json:"account,omitempty"` // public key and seed of the account, with an operator
	Seed    string `json:"seed,omitempty"`
	Revoked bool   `json:"revoked,omitempty"`
	// Former are public keys that the member had before; they count no more.
	Former []string `json:"former,omitempty"`
}

// defaults of a hub.
const (
	defaultBytes   = 4 << 30
	defaultStreams = 16
	clientPort     = 4222
	leafPort       = 7422
	clusterPort    = 6222
)

// ParseNode reads HOST or HOST:CLIENT:LEAF:CLUSTER.
func ParseNode(s string, n int) (Node, error) {
	parts := strings.Split(s, ":")
	node := Node{Name: "node-" + strconv.Itoa(n), Host: parts[0], Client: clientPort, Leaf: leafPort, Cluster: clusterPort}
	if len(parts) == 1 && parts[0] != "" {
		return node, nil
	}
	if len(parts) != 4 || parts[0] == "" {
		return node, fmt.Errorf("%q is neither HOST nor HOST:CLIENT:LEAF:CLUSTER", s)
	}
	for i, port := range []*int{&node.Client, &node.Leaf, &node.Cluster} {
		p, err := strconv.ParseUint(parts[i+1], 10, 16)
		if err != nil || p == 0 {
			return node, fmt.Errorf("%q is no port", parts[i+1])
		}
		*port = int(p)
	}
	return node, nil
}

// Create makes a hub in a directory and writes its files. h says what is wanted of it.
func Create(ctx context.Context, dir string, h Hub) (*Hub, error) {
	if err := errors.Join(team.CheckName(h.Team), team.CheckName(cmp.Or(h.Domain, "hub"))); err != nil {
		return nil, err
	}
	if len(h.Nodes) != 1 && len(h.Nodes) < 3 {
		return nil, fmt.Errorf("a hub has 1 node, or 3 and more: two are less safe than one, because each alone stops both")
	}
	if _, err := os.Lstat(filepath.Join(dir, hubName)); err == nil {
		return nil, fmt.Errorf("%s: %w", dir, os.ErrExist)
	}
	h.dir = dir
	if h.Cluster != nil {
		if h.Operator == nil || h.Operator.Seed == "" {
			return nil, errors.New("a cluster that there is needs the key of its operator, which signs the team's accounts")
		}
		if err := h.Cluster.look(ctx, &h); err != nil {
			return nil, err
		}
	}
	h.Domain = cmp.Or(h.Domain, "hub")
	h.Limits.Bytes = cmp.Or(h.Limits.Bytes, defaultBytes)
	h.Limits.Streams = cmp.Or(h.Limits.Streams, defaultStreams)
	var err error
	if h.Operator == nil {
		h.Admin.Seed, _, err = newKey(nkeys.PrefixByteUser)
	} else {
		err = h.Operator.prepare(&h)
	}
	if err == nil {
		err = h.keepRoster()
	}
	if err == nil {
		err = disk.MakePrivate(dir)
	}
	for _, n := range h.Nodes {
		if err == nil && h.Cluster == nil {
			err = disk.Replace(filepath.Join(dir, n.Name+".conf"), []byte(h.server(n)), 0o600)
		}
	}
	if err != nil {
		return nil, err
	}
	return &h, h.save()
}

// hubBytes bounds the file of a hub: a member is some 500 bytes of it.
const hubBytes = 16 << 20

// Open opens the hub that a directory keeps. The error is ErrHub when there is none. One that an earlier
// version made is written anew: in it readers could rewrite the roster.
func Open(dir string) (*Hub, error) {
	b, err := disk.ReadFile(filepath.Join(dir, hubName), hubBytes)
	if errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%w: %s", ErrHub, dir)
	}
	h := &Hub{}
	if err == nil {
		err = json.Unmarshal(b, h)
	}
	h.dir = dir
	if err == nil && h.Roster == (team.Key{}) {
		if err = h.keepRoster(); err == nil {
			err = h.save()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("hub %s: %w", dir, err)
	}
	return h, nil
}

// keepRoster makes the keys of the account ROSTER, which a hub of an earlier version has not.
func (h *Hub) keepRoster() (err error) {
	if h.Operator == nil {
		h.Roster.Seed, _, err = newKey(nkeys.PrefixByteUser)
		return err
	}
	if h.Operator.Roster, _, err = newKey(nkeys.PrefixByteAccount); err == nil {
		h.Roster, _, err = h.Operator.user("keeper", h.Operator.Roster, permissions{})
	}
	return err
}

// Invite adds a member and gives what they need. The error is ErrTaken for a name that was used,
// also by somebody who was revoked: what they left at the hub is not for another.
func (h *Hub) Invite(name string) (team.Member, error) {
	if err := team.CheckName(name); err != nil {
		return team.Member{}, err
	}
	if h.index(name) >= 0 {
		return team.Member{}, fmt.Errorf("%q: %w", name, ErrTaken)
	}
	return h.admit(Member{Name: name})
}

// Renew gives new keys to who is or was a member, with all that they have at the hub; the keys before
// count no more. The error is ErrUnknown.
func (h *Hub) Renew(name string) (team.Member, error) {
	i := h.index(name)
	if i < 0 {
		return team.Member{}, fmt.Errorf("%q: %w", name, ErrUnknown)
	}
	m := h.Members[i]
	m.Revoked, m.Former = false, append(slices.Clone(m.Former), m.Upload, m.Reader)
	return h.admit(m)
}

// admit gives a member keys, and what they need to know of the hub.
func (h *Hub) admit(m Member) (team.Member, error) {
	in := team.Member{
		Version: team.Version, Team: h.Team, Name: m.Name, CA: h.TLS.CA, Domain: h.Domain, Replicas: h.replicas(),
	}
	scheme, client := "nats", "nats"
	if h.TLS.On() {
		scheme, client = "tls", "tls"
	}
	for _, n := range h.Nodes {
		in.Hub = append(in.Hub, fmt.Sprintf("%s://%s:%d", scheme, n.Host, n.Leaf))
		in.Clients = append(in.Clients, fmt.Sprintf("%s://%s:%d", client, n.Host, n.Client))
	}
	var err error
	if in.Upload.Seed, m.Upload, err = newKey(nkeys.PrefixByteUser); err != nil {
		return in, err
	}
	if in.Reader.Seed, m.Reader, err = newKey(nkeys.PrefixByteUser); err != nil {
		return in, err
	}
	if h.Operator != nil {
		if err := h.Operator.enrol(h, &m, &in); err != nil {
			return in, err
		}
	}
	if i := h.index(m.Name); i >= 0 {
		h.Members[i] = m
	} else {
		h.Members = append(h.Members, m)
	}
	return in, h.save()
}

// Revoke takes a member's keys away; the copies stay until somebody removes their account's. The
// error is ErrUnknown.
func (h *Hub) Revoke(name string) error {
	i := h.index(name)
	if i < 0 {
		return fmt.Errorf("%q: %w", name, ErrUnknown)
	}
	h.Members[i].Revoked = true
	return h.save()
}

// Member gives who has or had a name. The error is ErrUnknown.
func (h *Hub) Member(name string) (Member, error) {
	if i := h.index(name); i >= 0 {
		return h.Members[i], nil
	}
	return Member{}, fmt.Errorf("%q: %w", name, ErrUnknown)
}

func (h *Hub) index(name string) int {
	return slices.IndexFunc(h.Members, func(m Member) bool { return m.Name == name })
}

// replicas is how many nodes hold each copy.
func (h *Hub) replicas() int {
	if len(h.Nodes) >= 3 {
		return 3
	}
	return 1
}

// Files lists what a hub's directory holds for its servers.
func (h *Hub) Files() []string {
	if h.Cluster != nil {
		return []string{requiredName}
	}
	all := []string{accountsName}
	for _, n := range h.Nodes {
		all = append(all, n.Name+".conf")
	}
	return all
}

// save writes what changes with the members. The configuration of a node is of whoever runs it, once
// it was made.
func (h *Hub) save() error {
	name, make := accountsName, h.accounts
	if h.Cluster != nil {
		name, make = requiredName, func() (string, error) { return h.required(), nil }
	}
	text, err := make()
	if err != nil {
		return err
	}
	b, err := json.MarshalIndent(h, "", "  ")
	if err != nil {
		return err
	}
	for name, text := range map[string][]byte{name: []byte(text), hubName: append(b, '\n')} {
		if err := disk.Replace(filepath.Join(h.dir, name), text, 0o600); err != nil {
			return fmt.Errorf("hub: %w", err)
		}
	}
	return disk.SyncDir(h.dir)
}

// newKey makes a key pair.
func newKey(kind nkeys.PrefixByte) (seed, public string, err error) {
	pair, err := nkeys.CreatePair(kind)
	if err != nil {
		return "", "", err
	}
	b, err := pair.Seed()
	if err != nil {
		return "", "", err
	}
	public, err = pair.PublicKey()
	return string(b), public, err
}

// publicOf gives the public key of a seed.
func publicOf(seed string) (string, error) {
	pair, err := nkeys.FromSeed([]byte(seed))
	if err != nil {
		return "", err
	}
	return pair.PublicKey()
}
