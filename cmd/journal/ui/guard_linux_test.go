package ui_test

import (
	"errors"
	"net"
	"os"
	"runtime"
	"syscall"
)

// dialAs connects as another user: a socket is of the user for whose files its thread asks.
func dialAs(uid int, address string) (net.Conn, error) {
	if os.Getuid() != 0 {
		return nil, errors.New("only root can be another")
	}
	type dialled struct {
		conn net.Conn
		err  error
	}
	done := make(chan dialled)
	go func() {
		runtime.LockOSThread() // and never given back: the thread ends with this
		if err := syscall.Setfsuid(uid); err != nil {
			done <- dialled{nil, err}
			return
		}
		c, err := net.Dial("tcp4", address)
		done <- dialled{c, err}
	}()
	d := <-done
	return d.conn, d.err
}
