package hub

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"
	"github.com/synadia-io/orbit.go/natscontext"

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

// ErrContext is returned for a context that cannot be used.
var ErrContext = errors.New("the context of the nats command cannot be used")

// clusterWait bounds the way to one server.
const clusterWait = 5 * time.Second

// connect reaches one of some servers, or those of the context's own address without any. The error is ErrContext.
func (c Cluster) connect(urls ...string) (*nats.Conn, error) {
	name := c.Context
	if strings.ContainsRune(name, os.PathSeparator) {
		abs, err := filepath.Abs(name)
		if err != nil {
			return nil, err
		}
		name = abs
	}
	to := func(o *nats.Options) error {
		if len(urls) > 0 {
			o.Servers = urls
		}
		return nil
	}
	nc, _, err := natscontext.Connect(name, to, nats.Name("journal team"), nats.Timeout(clusterWait), nats.NoReconnect(), nats.IgnoreDiscoveredServers())
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrContext, c.Context, err)
	}
	return nc, nil
}

// look checks that a cluster can be a hub.
func (c Cluster) look(ctx context.Context) error {
	nc, err := c.connect()
	if err != nil {
		return err
	}
	defer nc.Close()
	var reply struct {
		Data struct {
			Disabled bool `json:"disabled"`
		} `json:"data"`
	}
	if err := ask(ctx, nc, "JSZ", &reply); err != nil {
		return fmt.Errorf("%w: its user may not ask the servers, as one of their account may: %w", ErrContext, err)
	}
	if reply.Data.Disabled {
		return errors.New("the cluster's JetStream is off")
	}
	return nil
}

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

// admin reaches one of some nodes, as somebody who may do everything there.
func (h *Hub) admin(ctx context.Context, urls ...string) (*nats.Conn, error) {
	if h.Cluster == nil {
		return dial.Connect(ctx, h.member(), urls, h.Admin)
	}
	return h.Cluster.connect(urls...)
}
