package embedded

import (
	"fmt"
	"net/netip"

	"github.com/nats-io/nats-server/v2/server"
)

// parseListen returns the host and port of an Options.Listen for the server.
// Names are refused: what "localhost" means is for a resolver to say.
func parseListen(listen string) (host string, port int, err error) {
	ap, err := netip.ParseAddrPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("%w: %w", ErrNotLoopback, err)
	}
	if !ap.Addr().IsLoopback() {
		return "", 0, fmt.Errorf("%w: %s", ErrNotLoopback, listen)
	}
	port = int(ap.Port())
	if port == 0 {
		port = server.RANDOM_PORT
	}
	return ap.Addr().String(), port, nil
}
