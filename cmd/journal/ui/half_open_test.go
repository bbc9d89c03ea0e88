package ui_test

import (
	"fmt"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"journal/cmd/testkit/testutil"
)

// handed is a listener whose connections a test hands over.
type handed struct {
	net.Listener
	conns chan net.Conn
}

func (l handed) Accept() (net.Conn, error) {
	if c, ok := <-l.conns; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func (l handed) Close() error { return nil }

// counted is closed by closed; of one that is stuck nobody can say whose it is.
type counted struct {
	net.Conn
	closed func()
	stuck  chan struct{}
}

func (c counted) Close() error {
	c.closed()
	return c.Conn.Close()
}

func (c counted) RemoteAddr() net.Addr {
	if c.stuck != nil {
		<-c.stuck
	}
	return c.Conn.RemoteAddr()
}

// answered reports whether a page comes over a connection.
func answered(c net.Conn) error {
	if _, err := fmt.Fprintf(c, "GET / HTTP/1.0\r\nHost: x\r\n\r\n"); err != nil {
		return err
	}
	_, err := io.ReadFull(c, make([]byte, len("HTTP/1.0 4")))
	return err
}

// Nobody waits for the question whose another connection is, and of the connections that ask nothing few are kept.
func TestHalfOpen(t *testing.T) {
	t.Parallel()
	l := handed{conns: make(chan net.Conn)}
	serve(t, newSite(t, newMemory(t, work...)), l)
	var closed atomic.Int64
	stuck := make(chan struct{})
	t.Cleanup(func() {
		close(stuck)
		close(l.conns)
	})
	dial := func(stuck chan struct{}) net.Conn {
		here, there := net.Pipe()
		select {
		case l.conns <- counted{there, sync.OnceFunc(func() { closed.Add(1) }), stuck}:
		case <-time.After(testutil.Patience):
			t.Fatal("it waits for a connection of which nothing came")
		}
		return here
	}
	dial(stuck)
	const half = 1000
	for range half {
		dial(nil)
	}
	if err := answered(dial(nil)); err != nil {
		t.Fatal(err)
	}
	if n := closed.Load(); n < half-200 {
		t.Errorf("%d of %d connections that ask nothing are closed", n, half)
	}
}

// A page comes while a thousand connections of the system are half open, each with half a request.
func TestHalfOpenConnections(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	serve(t, newSite(t, newMemory(t, work...)), l)
	open := make([]net.Conn, 0, 1000)
	for range cap(open) {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Skip("not as many connections here: ", err)
		}
		defer c.Close()
		fmt.Fprint(c, "GET / HT") // it may be closed by now
		open = append(open, c)
	}
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := answered(c); err != nil || len(open) != cap(open) {
		t.Errorf("beside %d connections: %v", len(open), err)
	}
}
