package ui

import (
	"net"
	"net/http"
	"slices"
	"sync"
)

// maxWaiting bounds the connections that have sent no request yet. A browser opens fewer than ten. The bound is common
// to all: they come from this machine, where a user can have any number of addresses.
const maxWaiting = 128

// boundedListener is a listener that closes the oldest connections without a request if there are too many.
type boundedListener struct {
	net.Listener

	mu      sync.Mutex
	waiting []*visitor
}

func (l *boundedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	v := &visitor{Conn: c, at: l, foreign: sync.OnceValue(func() bool { return foreign(c) })}
	l.mu.Lock()
	l.waiting = append(l.waiting, v)
	oldest := l.waiting[0]
	many := len(l.waiting) > maxWaiting
	l.mu.Unlock()
	if many {
		oldest.Close()
	}
	return v, nil
}

// visitor is a connection of such a listener.
type visitor struct {
	net.Conn
	at      *boundedListener
	foreign func() bool
}

func (v *visitor) Close() error {
	v.arrived()
	return v.Conn.Close()
}

// arrived notes that the connection no longer waits: it sent a request, or is gone.
func (v *visitor) arrived() {
	v.at.mu.Lock()
	defer v.at.mu.Unlock()
	v.at.waiting = slices.DeleteFunc(v.at.waiting, func(w *visitor) bool { return w == v })
}

// visitorKey is the key of a request's visitor in its context.
type visitorKey struct{}

// ownUserOnly is a handler that does not answer other users of the machine, if the system knows the owner of a connection: a
// loopback port is open to all of them, and a browser sends a cookie to every port of its host. The look-up takes a
// while, so it happens only when a whole request has come.
func ownUserOnly(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v, ok := r.Context().Value(visitorKey{}).(*visitor); ok {
			v.arrived()
			if v.foreign() {
				panic(http.ErrAbortHandler) // closes the connection
			}
		}
		next.ServeHTTP(w, r)
	})
}
