package embedded

import (
	"io"
	"net"
	"sync"
)

// bridge joins a client of the unix socket to a connection inside the server,
// which cannot listen on unix sockets itself.
type bridge struct {
	client, inner net.Conn
}

// buffers for copying. 64 KiB is as much as the server reads or writes at a
// time, so a burst crosses the bridge in as few steps as it was made in.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// bridge carries bytes both ways until either side ends. It does not wait.
func (s *Server) bridge(client net.Conn) {
	inner, err := s.ns.InProcessConn()
	if err != nil { // The server is stopping.
		client.Close()
		return
	}
	b := &bridge{client: client, inner: inner}
	s.mu.Lock()
	s.bridges[b] = struct{}{}
	s.mu.Unlock()

	s.bridging.Add(1)
	go func() {
		defer s.bridging.Done()
		var back sync.WaitGroup
		back.Go(func() {
			carry(b.client, b.inner)
			b.cut()
		})
		carry(b.inner, b.client)
		// The way back may still carry the server's last words, such as why it
		// hung up; it ends by itself after them.
		b.inner.Close()
		back.Wait()
		s.mu.Lock()
		delete(s.bridges, b)
		s.mu.Unlock()
	}()
}

// cut ends both sides: neither has a use for half a connection.
func (b *bridge) cut() {
	b.client.Close()
	b.inner.Close()
}

// carry copies until src ends or dst breaks. Errors are how connections end;
// the protocol has its own.
func carry(dst, src net.Conn) {
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	_, _ = io.CopyBuffer(dst, src, buf[:])
}
