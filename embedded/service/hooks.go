package service

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

// HookSocket is the file name of the socket inside a journal directory. If its path is too long for a socket the owner does not listen,
// and every call gets a process of its own.
const HookSocket = "hook.sock"

const (
	// parallel is the number of calls that are handled at once, and waiting the number of further calls that may wait. Each uses
	// up to frame.MaxStdin of memory, several times that while it is parsed.
	parallel = 16
	waiting  = 24
	// senderWait bounds the time in which a call arrives: journal-hook has all of it before it connects.
	senderWait = time.Second
	// answerWait is the time for which journal-hook waits for an answer without a Wait.
	answerWait = 250 * time.Millisecond
	// acceptPause is the delay after a failed accept, which is a lack of file descriptors.
	acceptPause = 10 * time.Millisecond
	// maxDepth bounds the nesting of a payload: parsers recurse for each level.
	maxDepth = 1_000
)

// HookOwner is the part of the log's owner that a HookListener uses.
type HookOwner interface {
	// Take runs the handler of a request, and returns when it ends. It returns false if the owner takes no more requests. The
	// owner does not end before the handler.
	Take(handle func(context.Context)) (ok bool)
	// Handle handles a request.
	Handle(ctx context.Context, r wire.Request) wire.Reply
}

// HookConfig configures a HookListener.
type HookConfig struct {
	Dir    string // of the journal, whose lock the caller holds
	Logger *slog.Logger
	// Intact reports whether the lock still guards the directory. Close removes the socket only then.
	Intact func() bool
	// Pace returns the duration of a time budget; nil leaves it unchanged.
	Pace func(time.Duration) time.Duration
}

// HookListener handles calls until it is closed.
type HookListener struct {
	HookConfig
	owner    HookOwner
	listener *net.UnixListener
	path     string
	turns    chan struct{} // semaphore of the handled calls
	queue    chan struct{} // semaphore of the handled and the waiting calls

	mu   sync.Mutex
	open map[net.Conn]struct{}
	work sync.WaitGroup
}

// ListenHooks opens the hook socket of an owner, with mode 0600. It returns nil without an error if the path is too long for a socket.
func ListenHooks(o HookOwner, c HookConfig) (*HookListener, error) {
	abs, err := filepath.Abs(c.Dir)
	if err != nil {
		return nil, fmt.Errorf("hooks: %w", err)
	}
	path := filepath.Join(abs, HookSocket)
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
	d := &HookListener{
		HookConfig: c, owner: o, listener: l, path: path, open: map[net.Conn]struct{}{},
		turns: make(chan struct{}, parallel), queue: make(chan struct{}, parallel+waiting),
	}
	d.work.Go(d.accept)
	return d, nil
}

// Close refuses new calls and waits for the running ones.
func (d *HookListener) Close() {
	if d.Intact() {
		if err := os.Remove(d.path); err != nil {
			d.Logger.Warn("socket not removed", "error", err.Error()) // the next owner removes it
		}
	}
	d.listener.Close()
	d.mu.Lock()
	for conn := range d.open {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // a call that has not arrived whole gets a process of its own
	}
	d.mu.Unlock()
	d.work.Wait()
}

func (d *HookListener) accept() {
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

// refuse makes journal-hook start a process for the call.
func refuse(conn net.Conn) {
	_, _ = conn.Write(frame.AppendReply(nil, frame.Alone, nil)) // without this reply journal-hook does so after its time budget
}

// serve answers one call.
func (d *HookListener) serve(conn *net.UnixConn) {
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

// receive reads a whole frame. ok is false for other bytes.
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

// answer handles a call and sends the answer.
func (d *HookListener) answer(ctx context.Context, conn net.Conn, b []byte) {
	text, err := d.handle(ctx, conn, b)
	if err != nil {
		if !errors.Is(err, hookrun.ErrAlone) {
			d.Logger.Error("hook", "error", err.Error())
		}
		refuse(conn)
		return
	}
	_, _ = conn.Write(frame.AppendReply(nil, frame.Answer, text)) // if journal-hook is gone, another process handles the call
}

// handle returns the text that journal-hook prints for a call. It returns a panic as an error.
func (d *HookListener) handle(ctx context.Context, conn net.Conn, b []byte) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	c, ok := frame.Parse(b)
	// Another build may parse hooks in another way, and a newer one starts an owner of its own. A program without a build number
	// counts as the same.
	sameBuild := c.Build == 0 || c.Build == ownership.Build()
	if !ok || !sameBuild || tooDeep(c.Stdin) {
		return nil, hookrun.ErrAlone
	}
	o := hookrun.Owner{
		Dir: d.Dir, Pace: d.Pace, Handle: func(r wire.Request) wire.Reply { return d.owner.Handle(ctx, r) },
	}
	return hookrun.Carried(o, c, func(wait time.Duration) {
		if wait > answerWait {
			_, _ = conn.Write(frame.AppendWait(nil, uint32(d.Pace(wait).Milliseconds())))
		}
	})
}

// tooDeep reports whether a document nests deeper than maxDepth: it counts the brackets outside of strings.
func tooDeep(b []byte) bool {
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
