package embedded

import (
	"io"
	"net"
	"sync"
	"time"
)

// bridge joins a client of the unix socket to a connection inside the server, which cannot listen on unix sockets itself.
type bridge struct {
	client *net.UnixConn
	inner  net.Conn
}

// linger is the time for which a client may still write after the server has closed its connection. It ends earlier if the client closes
// too. Without it a client that writes before it reads would fail in the write and never see the server's reason: on a unix socket, unlike
// TCP, a write fails at once.
const linger = time.Second

// buffers holds buffers for copying. The server reads and writes at most 64 KiB at a time, so one read of the bridge takes all bytes of
// such a write.
var buffers = sync.Pool{New: func() any { return new([64 << 10]byte) }}

// bridge carries the bytes of a client in the background until either side ends.
func (s *Server) bridge(client *net.UnixConn) {
	inner, err := s.ns.InProcessConn()
	if err != nil { // the server is stopping
		client.Close()
		return
	}
	b := &bridge{client: client, inner: inner}
	s.mu.Lock()
	s.bridges[b] = struct{}{}
	s.mu.Unlock()

	s.bridging.Go(func() {
		b.run()
		s.mu.Lock()
		delete(s.bridges, b)
		s.mu.Unlock()
	})
}

// run carries bytes both ways, and returns when both sides are closed.
func (b *bridge) run() {
	defer b.cut()
	var back sync.WaitGroup
	back.Go(func() {
		carry(b.client, b.inner)
		b.inner.Close()
		_ = b.client.CloseWrite() // an error means that the client is gone
		_ = b.client.SetReadDeadline(time.Now().Add(linger))
	})
	carry(b.inner, b.client)
	b.inner.Close()
	back.Wait()
	carry(io.Discard, b.client) // what the client writes while it lingers; nothing if it closed first
}

// cut closes both connections.
func (b *bridge) cut() {
	b.client.Close()
	b.inner.Close()
}

// carry copies until src ends or dst breaks. It ignores errors: every connection ends with an error, and the protocol of NATS reports its
// own.
func carry(dst io.Writer, src io.Reader) {
	buf := buffers.Get().(*[64 << 10]byte)
	defer buffers.Put(buf)
	_, _ = io.CopyBuffer(dst, src, buf[:])
}
