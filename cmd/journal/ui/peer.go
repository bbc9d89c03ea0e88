package ui

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// maxWaiting bounds the connections that have sent no request yet. A browser opens fewer than ten. There is no bound for each
// address: all connections come from this machine, where a user can have any number of addresses.
const maxWaiting = 128

// boundedListener is a listener with a bound of connections without a request. Above maxWaiting it closes the oldest of them.
type boundedListener struct {
	net.Listener

	mu      sync.Mutex
	waiting []*visitor
}

// Accept implements net.Listener. The connection is a visitor.
func (l *boundedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	v := &visitor{Conn: c, listener: l, foreign: sync.OnceValue(func() bool { return foreign(c) })}
	l.mu.Lock()
	l.waiting = append(l.waiting, v)
	oldest := l.waiting[0]
	tooMany := len(l.waiting) > maxWaiting
	l.mu.Unlock()
	if tooMany {
		oldest.Close()
	}
	return v, nil
}

// visitor is a connection of a boundedListener.
type visitor struct {
	net.Conn
	listener *boundedListener
	foreign  func() bool // reports whether another user owns the other end; looked up once
}

// Close implements net.Conn.
func (v *visitor) Close() error {
	v.stopWaiting()
	return v.Conn.Close()
}

// stopWaiting removes the connection from those that wait, because it sent a request or is closed.
func (v *visitor) stopWaiting() {
	l := v.listener
	l.mu.Lock()
	defer l.mu.Unlock()
	l.waiting = slices.DeleteFunc(l.waiting, func(w *visitor) bool { return w == v })
}

// visitorKey is the key of the visitor in a request's context.
type visitorKey struct{}

// ownUserOnly returns a handler that closes connections of other users of the machine, if the system knows who owns a connection.
// A loopback port is open to all users, and a browser sends a cookie to every port of its host. The look-up takes a while, so it
// happens only when the header of a request has come.
func ownUserOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v, ok := r.Context().Value(visitorKey{}).(*visitor); ok {
			v.stopWaiting()
			if v.foreign() {
				panic(http.ErrAbortHandler) // closes the connection
			}
		}
		next.ServeHTTP(w, r)
	})
}
