package hub

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"journal/embedded/team/dial"
	"journal/journal/disk"
)

// Cluster is an existing one, with an operator, whose servers keep the accounts that they get
// (resolver of type full). Nothing of its configuration is written here.
type Cluster struct {
	// Context is the name of a context of the nats command, or the path of its file. Its user is one of
	// the account of the servers. It is read each time, so that its key may change.
	Context string `json:"context"`
}

// way holds the fields of a context of the nats command that are used here.
type way struct {
	URL      string `json:"url"`
	Creds    string `json:"creds"`
	NKey     string `json:"nkey"`
	User     string `json:"user"`
	Password string `json:"password"`
	Token    string `json:"token"`
	CA       string `json:"ca"`
	Cert     string `json:"cert"`
	Key      string `json:"key"`
	TLSFirst bool   `json:"tls_first"`
	NSC      string `json:"nsc"`
	Proxy    string `json:"socks_proxy"`
}

// contextBytes bounds a file of a context: certificates and keys are files of their own.
const contextBytes = 64 << 10

// ErrContext is returned for a context that cannot be used.
var ErrContext = errors.New("the context of the nats command cannot be used")

// load reads the context where the nats command keeps it.
func (c Cluster) load() (w way, err error) {
	path := c.Context
	if !strings.ContainsRune(path, os.PathSeparator) {
		if path, err = disk.ConfigPath(os.Getenv, "nats", "context", c.Context+".json"); err != nil {
			return w, fmt.Errorf("%w: %w", ErrContext, err)
		}
	}
	b, err := disk.ReadFile(path, contextBytes)
	if err == nil {
		err = json.Unmarshal(b, &w)
	}
	switch {
	case err != nil:
	case w.NSC != "" || w.Proxy != "" || strings.HasPrefix(w.Creds, "op://"):
		err = errors.New("it leads through nsc, a proxy or a password manager; write its credentials into a file: nsc generate creds")
	case w.URL == "" || w.Creds == "" && w.NKey == "" && w.User == "" && w.Token == "":
		err = errors.New("it has no url, or no credentials")
	}
	if err != nil {
		return w, fmt.Errorf("%w: %s: %w", ErrContext, path, err)
	}
	for _, file := range []*string{&w.Creds, &w.NKey, &w.CA, &w.Cert, &w.Key} {
		if rest, ok := strings.CutPrefix(*file, "~/"); ok {
			if home, err := os.UserHomeDir(); err == nil {
				*file = filepath.Join(home, rest)
			}
		}
	}
	return w, nil
}

// clusterWait bounds the way to one server.
const clusterWait = 5 * time.Second

// connect reaches one of the servers of a context, those of its own address when none are given.
func (w way) connect(urls ...string) (*nats.Conn, error) {
	o := []nats.Option{nats.Name("journal team"), nats.Timeout(clusterWait), nats.NoReconnect(), nats.IgnoreDiscoveredServers()}
	switch {
	case w.Creds != "":
		o = append(o, nats.UserCredentials(w.Creds))
	case w.NKey != "":
		key, err := nats.NkeyOptionFromSeed(w.NKey)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrContext, err)
		}
		o = append(o, key)
	case w.User != "":
		o = append(o, nats.UserInfo(w.User, w.Password))
	default:
		o = append(o, nats.Token(w.Token))
	}
	if w.CA != "" {
		o = append(o, nats.RootCAs(w.CA))
	}
	if w.Cert != "" {
		o = append(o, nats.ClientCert(w.Cert, w.Key))
	}
	if w.TLSFirst {
		o = append(o, nats.TLSHandshakeFirst())
	}
	nc, err := nats.Connect(cmp.Or(strings.Join(urls, ","), w.URL), o...)
	if err != nil {
		return nil, fmt.Errorf("reach the cluster: %w", err)
	}
	return nc, nil
}

// look checks that a cluster can be a hub, and takes the authority of its certificates from its context.
func (c Cluster) look(ctx context.Context, h *Hub) error {
	w, err := c.load()
	if err != nil {
		return err
	}
	if w.CA != "" && h.TLS.CA == "" && h.TLS.On() {
		b, err := disk.ReadFile(w.CA, fileBytes)
		if err != nil {
			return err
		}
		h.TLS.CA = string(b)
	}
	nc, err := w.connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	var reply struct {
		Data struct {
			Disabled bool `json:"disabled"`
		} `json:"data"`
	}
	if err := ask(ctx, nc, "JSZ", struct{}{}, &reply); err != nil {
		return fmt.Errorf("%w: its user may not ask the servers, as one of their account may: %w", ErrContext, err)
	}
	if reply.Data.Disabled {
		return errors.New("the cluster's JetStream is off")
	}
	return nil
}

// fileBytes bounds a file of certificates.
const fileBytes = 1 << 20

// ParseOperatorKey reads the file with the seed of an operator, or of a signing key of theirs.
func ParseOperatorKey(path string) (seed string, err error) {
	b, err := disk.ReadFile(path, 4<<10)
	if err != nil {
		return "", err
	}
	seed = strings.TrimSpace(string(b))
	if kind, _, err := nkeys.DecodeSeed([]byte(seed)); err != nil || kind != nkeys.PrefixByteOperator {
		return "", fmt.Errorf("%s holds no seed of an operator (SO…)", path)
	}
	return seed, nil
}

// pushAccounts sends the cluster's servers the accounts as they are now.
func (h *Hub) pushAccounts(ctx context.Context) error {
	nc, err := h.admin(ctx)
	if err != nil {
		return err
	}
	defer nc.Close()
	for _, a := range h.accounts() {
		if err := order(ctx, nc, "$SYS.REQ.CLAIMS.UPDATE", a.JWT); err != nil {
			return fmt.Errorf("the servers do not take account %s (resolver of type full?): %w", a.ID, err)
		}
	}
	return nil
}

// admin reaches one of some nodes, of all without any, as somebody who may do everything there.
func (h *Hub) admin(ctx context.Context, urls ...string) (*nats.Conn, error) {
	if h.Cluster == nil {
		return dial.Connect(ctx, h.member(), urls, h.Admin)
	}
	w, err := h.Cluster.load()
	if err != nil {
		return nil, err
	}
	return w.connect(urls...)
}

// required lists the configuration that the servers of an existing cluster need.
const required = `# What each server of the cluster needs beside what it has. Written by journal team init, to be compared by hand.
jetstream { } # nats-server 2.14 or later
resolver: { type: full }
`
