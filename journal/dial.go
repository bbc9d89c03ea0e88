package journal

import (
	"net"

	"journal/journal/sock"
)

// dialer keeps the error of its last dial, which the NATS client reports as
// "no servers available".
type dialer struct {
	sock.Dialer
	err error
}

func (d *dialer) Dial(network, address string) (net.Conn, error) {
	conn, err := d.Dialer.Dial(network, address)
	d.err = err
	return conn, err
}
