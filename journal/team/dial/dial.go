// Package dial reaches the nodes of a team's hub as somebody who has a key there.
package dial

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nkeys"

	"journal/journal/team"
)

// wait bounds the way to one node.
const wait = 3 * time.Second

// Connect reaches one of some nodes, with the TLS of a member; whoever made the hub knows as much as
// one. It does not reconnect.
func Connect(ctx context.Context, m team.Member, urls []string, k team.Key, o ...nats.Option) (*nats.Conn, error) {
	auth, err := authOf(k)
	if err != nil {
		return nil, fmt.Errorf("the team's key: %w", err)
	}
	o = append(o, auth, nats.Timeout(wait), nats.NoReconnect())
	tls, err := m.TLS()
	if err != nil {
		return nil, err
	}
	if tls != nil {
		o = append(o, nats.Secure(tls))
	}
	nc, err := nats.Connect(strings.Join(urls, ","), o...)
	if err != nil {
		return nil, fmt.Errorf("reach the hub of %s: %w", m.Team, err)
	}
	return nc, ctx.Err()
}

// authOf says who we are.
func authOf(k team.Key) (nats.Option, error) {
	if k.Creds != "" {
		return nats.UserCredentialBytes([]byte(k.Creds)), nil
	}
	pair, err := nkeys.FromSeed([]byte(k.Seed))
	if err != nil {
		return nil, err
	}
	public, err := pair.PublicKey()
	return nats.Nkey(public, pair.Sign), err
}
