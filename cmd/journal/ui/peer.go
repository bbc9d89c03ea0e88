package ui

import "net"

// ownUsers is a listener that closes the connections of other users of the machine, where
// the system tells whose they are: a port of the loopback is open to all of them, and a
// cookie goes to whatever port of a host a browser is led to.
type ownUsers struct{ net.Listener }

func (l ownUsers) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil || !foreign(c) {
			return c, err
		}
		c.Close()
	}
}
