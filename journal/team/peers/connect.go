// Package peers reads what the members of a team share, at the team's hub: it asks as a client, and
// may do nothing but ask.
package peers

import (
	"context"

	"github.com/nats-io/nats.go"

	"journal/journal/team"
	"journal/journal/team/dial"
)

// Connect reaches the hub as the reader that a member is there.
func Connect(ctx context.Context, m team.Member) (*nats.Conn, error) {
	return dial.Connect(ctx, m, m.Clients, m.Reader, nats.Name("journal reader"), nats.CustomInboxPrefix("_INBOX_"+m.Name))
}
