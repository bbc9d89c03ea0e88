// Package dial reaches the nodes of a team's hub as somebody who has a key there.
package dial

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"journal/embedded/team"
)

// wait bounds the way to one node.
const wait = 3 * time.Second

// PingInterval is the interval of pings over a connection that stands. A hub that has not answered one when the next is due is
// gone: ended lids and lost networks close no connection. Pings are most of what idle laptops cost a hub.
const PingInterval = 15 * time.Second

// Connect reaches one of some nodes, with the TLS of a member; the operator of the hub knows as much as
// one. It does not reconnect. The error is team.ErrRefused when the hub does not take the key.
func Connect(ctx context.Context, m team.Member, urls []string, k team.Key, o ...nats.Option) (*nats.Conn, error) {
	if _, err := k.Pair(); err != nil {
		return nil, fmt.Errorf("the team's key: %w", err)
	}
	o = append(o, nats.UserJWTAndSeed(k.JWT, k.Seed), nats.Timeout(wait), nats.NoReconnect(), nats.IgnoreDiscoveredServers())
	tls, err := m.TLS()
	if err != nil {
		return nil, err
	}
	if tls != nil {
		o = append(o, nats.Secure(tls))
	}
	nc, err := nats.Connect(strings.Join(urls, ","), o...)
	if refused(err) {
		return nil, fmt.Errorf("the hub of %s %w of %s: %w", m.Team, team.ErrRefused, cmp.Or(m.Name, "whoever runs it"), err)
	}
	if err != nil {
		return nil, fmt.Errorf("reach the hub of %s: %w", m.Team, err)
	}
	return nc, ctx.Err()
}

// refused reports whether a server answered, and refused the key.
func refused(err error) bool {
	return slices.ContainsFunc([]error{
		nats.ErrAuthorization, nats.ErrAuthExpired, nats.ErrAuthRevoked, nats.ErrAccountAuthExpired,
	}, func(e error) bool { return errors.Is(err, e) })
}
