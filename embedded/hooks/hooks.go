// Package hooks is the owner's door for hooks that were carried to it: it takes the calls of
// agents, does what the agents' own processes would have done, and gives back what is to be
// printed.
//
// A call that breaks something costs that call and nothing else: its carrier leaves it to
// a process of its own, which knows what to do without an owner.
package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"time"

	"journal/embedded/store/ownership"
	"journal/journal/hookrun"
	"journal/journal/wire"
	"journal/journal/wire/frame"
	"journal/journal/wire/sock"
)

// Name is the file name of the socket inside a journal directory. Where its path is longer than
// a socket's may be nobody listens, and carriers leave each call to its own process.
const Name = "hook.sock"

const (
	// parallel is how many calls are understood at once, and waiting how many may wait for that:
	// each takes up to frame.MaxStdin of memory, several times while it is read.
	parallel = 16
	waiting  = 24
	// senderWait bounds the sending of one call. It is local, and complete before it is sent.
	senderWait = time.Second
	// patience is how long carriers wait without being told, from the call to the answer.
	patience = 250 * time.Millisecond
	// acceptPause is the wait after a failed accept, which is a lack of file descriptors.
	acceptPause = 10 * time.Millisecond
	// maxDepth bounds the nesting of a payload: what reads one may call itself for each level.
	maxDepth = 1_000
)

// Owner is what calls are for.
type Owner interface {
	// Take runs a handler of a request to its end, before which the owner does not end; ok is false when
	// no more are taken.
	Take(handle func(context.Context)) (ok bool)
	// Handle does what a request asks.
	Handle(ctx context.Context, r wire.Request) wire.Reply
}

// Config is where calls come from.
type Config struct {
	Dir    string // of the journal, whose lock the caller has
	Logger *slog.Logger
	// Intact says whether the lock guards the directory still: then Close removes the socket.
	Intact func() bool
	// Pace says how long a budget lasts by the clock of this machine; nil: as long as it says.
	Pace func(time.Duration) time.Duration
}

// Door takes calls until it is closed.
type Door struct {
	Config
	owner    Owner
	listener *net.UnixListener
	path     string
	turns    chan struct{} // one for each call that is understood
	queue    chan struct{} // one for each call that is there

	mu   sync.Mutex
	open map[net.Conn]struct{}
	work sync.WaitGroup
}

// Open opens the door of an owner, with mode 0600. It is nil, without an error, for a
// directory that is too deep for a socket.
func Open(o Owner, c Config) (*Door, error) {
	abs, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("hooks: %w", err)
	}
	path := filepath.Join(abs, Name)
	if len(path) > sock.MaxPath {
		return nil, nil
	}
	l, err := sock.Listen(path)
	if err != nil {
		return nil, fmt.Errorf("hooks: %w", err)
	}
	if c.Pace == nil {
		c.Pace = func(budget time.Duration) time.Duration { return budget }
	}
	d := &Door{
		Config: c, owner: o, listener: l, path: path, open: map[net.Conn]struct{}{},
		turns: make(chan struct{}, parallel), queue: make(chan struct{}, parallel+waiting),
	}
	d.work.Go(d.accept)
	return d, nil
}

// Close takes no more calls. When it returns none is left.
func (d *Door) Close() {
	if d.Intact() {
		if err := os.Remove(d.path); err != nil {
			d.Logger.Warn("socket not removed", "error", err.Error()) // the next owner does it
		}
	}
	d.listener.Close()
	d.mu.Lock()
	for conn := range d.open {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // whoever has not said all by now is left to itself
	}
	d.mu.Unlock()
	d.work.Wait()
}

func (d *Door) accept() {
	for {
		conn, err := d.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			d.Logger.Warn("hook not accepted", "error", err.Error())
			time.Sleep(acceptPause)
			continue
		}
		select {
		case d.queue <- struct{}{}:
			d.work.Go(func() {
				defer func() { <-d.queue }()
				d.serve(conn)
			})
		default:
			refuse(conn)
			conn.Close()
		}
	}
}

// refuse leaves a call to its own process.
func refuse(conn net.Conn) {
	_, _ = conn.Write(frame.AppendReply(nil, frame.Alone, nil)) // who does not hear it goes on without
}

// serve answers one call.
func (d *Door) serve(conn *net.UnixConn) {
	d.mu.Lock()
	d.open[conn] = struct{}{}
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		delete(d.open, conn)
		d.mu.Unlock()
		conn.Close()
	}()
	if !isNeighbour(conn) {
		refuse(conn)
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(d.Pace(senderWait)))
	b, ok := receive(conn)
	defer clear(b)
	if !ok {
		refuse(conn)
		return
	}
	d.turns <- struct{}{}
	defer func() { <-d.turns }()
	if !d.owner.Take(func(ctx context.Context) { d.answer(ctx, conn, b) }) {
		refuse(conn)
	}
}

// receive reads a frame up to its end; ok is false for what is none of this program's build.
func receive(conn io.Reader) (b []byte, ok bool) {
	head := make([]byte, frame.Head)
	if _, err := io.ReadFull(conn, head); err != nil {
		return nil, false
	}
	n, ok := frame.Length(head)
	if !ok {
		return nil, false
	}
	b = make([]byte, n)
	_, err := io.ReadFull(conn, b)
	return b, err == nil
}

// answer understands a call and answers it.
func (d *Door) answer(ctx context.Context, conn net.Conn, b []byte) {
	text, err := d.understand(ctx, conn, b)
	if err != nil {
		if !errors.Is(err, hookrun.ErrAlone) {
			d.Logger.Error("hook", "error", err.Error())
		}
		refuse(conn)
		return
	}
	_, _ = conn.Write(frame.AppendReply(nil, frame.Answer, text)) // who is gone has left the call to another process
}

// understand does what the agent's own process would have done. A panic is an error.
func (d *Door) understand(ctx context.Context, conn net.Conn, b []byte) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	c, ok := frame.Parse(b)
	if !ok || !sameBuild(c.Build, ownership.Build()) || deep(c.Stdin) {
		return nil, hookrun.ErrAlone
	}
	o := hookrun.Owner{
		Dir: d.Dir, Pace: d.Pace, Handle: func(r wire.Request) wire.Reply { return d.owner.Handle(ctx, r) },
	}
	return hookrun.Carried(o, c, func(wait time.Duration) {
		if wait > patience {
			_, _ = conn.Write(frame.AppendWait(nil, uint32(d.Pace(wait).Milliseconds())))
		}
	})
}

// sameBuild says whether a caller's program is this one's fellow: another build has a way of
// its own to understand hooks, and a newer one has an owner of its own start. Who does not
// know its build drives nobody out.
func sameBuild(theirs, ours int64) bool { return theirs == 0 || theirs == ours }

// deep says whether a document nests deeper than anything should: each bracket outside of
// strings counts.
func deep(b []byte) bool {
	depth, quoted := 0, false
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxDepth {
				return true
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return false
}
