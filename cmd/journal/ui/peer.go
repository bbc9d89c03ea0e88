package ui

import (
	"context"
	"net"
	"net/http"
	"slices"
	"sync"
)

// maxWaiting bounds the connections that have not asked for a page yet. A browser opens less than ten. All come from
// this machine, where one user has as many addresses as they like: the bound is one for all.
const maxWaiting = 128

// visitors is a listener that closes the oldest of too many connections that ask nothing.
type visitors struct {
	net.Listener

	mu      sync.Mutex
	waiting []*visitor
}

func (l *visitors) Accept() (net.Conn, error) {
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

// visitor is a connection of a listener of ours.
type visitor struct {
	net.Conn
	at      *visitors
	foreign func() bool
}

func (v *visitor) Close() error {
	v.arrived()
	return v.Conn.Close()
}

// arrived says that it waits no more: it asked for a page, or it is gone.
func (v *visitor) arrived() {
	v.at.mu.Lock()
	defer v.at.mu.Unlock()
	v.at.waiting = slices.DeleteFunc(v.at.waiting, func(w *visitor) bool { return w == v })
}

// visitorKey is the key of a request's visitor in its context.
type visitorKey struct{}

func withVisitor(ctx context.Context, c net.Conn) context.Context {
	return context.WithValue(ctx, visitorKey{}, c)
}

// ofOwnUser is a handler that gives other users of the machine no answer, where the system tells whose a connection is: a
// port of the loopback is open to all of them, and a cookie goes to whatever port of a host a browser is led to. It takes a
// while to find, so it is looked up when a whole request came.
func ofOwnUser(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if v, ok := r.Context().Value(visitorKey{}).(*visitor); ok {
			if v.arrived(); v.foreign() {
				panic(http.ErrAbortHandler) // which closes it
			}
		}
		next.ServeHTTP(w, r)
	})
}
