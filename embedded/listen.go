package embedded

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"github.com/nats-io/nats-server/v2/server"
)

// CheckListen says whether an Options.Listen can be listened on now: it is a literal
// loopback address (ErrNotLoopback), and nobody else has the port.
func CheckListen(listen string) error {
	if _, _, err := parseListen(listen); err != nil {
		return err
	}
	l, err := net.Listen("tcp", listen)
	if err != nil {
		if why := syscall.Errno(0); errors.As(err, &why) {
			err = why // the rest of it names the address again
		}
		return fmt.Errorf("listen on %s: %w", listen, err)
	}
	return l.Close()
}

// parseListen returns the host and port of an Options.Listen for the server.
// Names are refused: what "localhost" means is for a resolver to say.
func parseListen(listen string) (host string, port int, err error) {
	ap, err := netip.ParseAddrPort(listen)
	if err != nil {
		return "", 0, fmt.Errorf("%w: %q", ErrNotLoopback, listen)
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
