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

// HookSocket is the name of the socket in a journal directory at which the owner accepts calls of journal-hook. If the path is too long for
// a socket, journal-hook starts a process for every call.
const HookSocket = "hook.sock"

const (
	// parallel is the number of calls that are handled at once. waiting is the number of further calls that may wait. Each call takes up to
	// frame.MaxStdin of memory, and several times that while it is parsed.
	parallel = 16
	waiting  = 24
	// senderWait bounds the time in which the bytes of a call arrive. journal-hook has all of them before it connects.
	senderWait = time.Second
	// answerWait is the time for which journal-hook waits for an answer, unless the owner sends a longer one (frame.AppendWait).
	answerWait = 250 * time.Millisecond
	// acceptPause is the delay after a failed accept, which means a lack of file descriptors.
	acceptPause = 10 * time.Millisecond
)

// HookOwner is the part of the log's owner that a HookListener uses.
type HookOwner interface {
	// RunHandler runs the handler of a request, and returns when the handler ends. The owner does not end before the handler. ok is false
	// if the owner takes no more requests.
	RunHandler(handle func(context.Context)) (ok bool)
	// Handle handles a request.
	Handle(ctx context.Context, r wire.Request) wire.Reply
}

// HookConfig configures a HookListener.
type HookConfig struct {
	Dir    string // of the journal, whose lock the caller holds
	Logger *slog.Logger
	// Intact reports whether the lock still guards the directory. Close removes the socket only then.
	Intact func() bool
	Pace   wire.Pace
}

// HookListener handles calls until it is closed.
type HookListener struct {
	HookConfig
	owner    HookOwner
	listener *net.UnixListener
	path     string
	handled  chan struct{} // semaphore of the handled calls
	queue    chan struct{} // semaphore of the handled and the waiting calls
	work     sync.WaitGroup

	mu   sync.Mutex
	open map[net.Conn]struct{} // the connections that are being served
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
	listener, err := sock.Listen(path)
	if err != nil {
		return nil, fmt.Errorf("hooks: %w", err)
	}
	l := &HookListener{
		HookConfig: c, owner: o, listener: listener, path: path, open: map[net.Conn]struct{}{},
		handled: make(chan struct{}, parallel), queue: make(chan struct{}, parallel+waiting),
	}
	l.work.Go(l.accept)
	return l, nil
}

// Close refuses new calls and waits for the running ones.
func (l *HookListener) Close() {
	if l.Intact() {
		if err := os.Remove(l.path); err != nil {
			l.Logger.Warn("socket not removed", "error", err.Error()) // the next owner removes it
		}
	}
	l.listener.Close()
	l.mu.Lock()
	for conn := range l.open {
		_ = conn.SetReadDeadline(time.Unix(1, 0)) // journal-hook starts a process for a call that has not arrived whole
	}
	l.mu.Unlock()
	l.work.Wait()
}

// accept serves connections until Close.
func (l *HookListener) accept() {
	for {
		conn, err := l.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			l.Logger.Warn("hook not accepted", "error", err.Error())
			time.Sleep(acceptPause)
			continue
		}
		select {
		case l.queue <- struct{}{}:
			l.work.Go(func() {
				defer func() { <-l.queue }()
				l.serve(conn)
			})
		default:
			refuse(conn)
			conn.Close()
		}
	}
}

// refuse makes journal-hook start a process for the call of a connection.
func refuse(conn net.Conn) {
	_, _ = conn.Write(frame.AppendReply(nil, frame.Alone, nil)) // if the reply is lost, journal-hook starts the process when its time is over
}

// serve receives the call of a connection, and answers or refuses it.
func (l *HookListener) serve(conn *net.UnixConn) {
	l.mu.Lock()
	l.open[conn] = struct{}{}
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.open, conn)
		l.mu.Unlock()
		conn.Close()
	}()
	if !isNeighbour(conn) {
		refuse(conn)
		return
	}
	_ = conn.SetReadDeadline(time.Now().Add(l.Pace.Of(senderWait)))
	b, ok := receive(conn)
	defer clear(b)
	if !ok {
		refuse(conn)
		return
	}
	l.handled <- struct{}{}
	defer func() { <-l.handled }()
	if !l.owner.RunHandler(func(ctx context.Context) { l.answer(ctx, conn, b) }) {
		refuse(conn)
	}
}

// receive reads a whole frame. ok is false if the bytes are no frame, or are incomplete.
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
func (l *HookListener) answer(ctx context.Context, conn net.Conn, b []byte) {
	text, err := l.handle(ctx, conn, b)
	if err != nil {
		if !errors.Is(err, hookrun.ErrAlone) {
			l.Logger.Error("hook", "error", err.Error())
		}
		refuse(conn)
		return
	}
	_, _ = conn.Write(frame.AppendReply(nil, frame.Answer, text)) // if journal-hook is gone, another process handles the call
}

// handle returns the text that journal-hook prints for a call. The error is hookrun.ErrAlone for a call that needs a process of its own. A
// panic becomes an error too.
func (l *HookListener) handle(ctx context.Context, conn net.Conn, b []byte) (text []byte, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	c, ok := frame.Parse(b)
	// A build may parse hooks in its own way, and a newer build starts an owner of its own. A program without a build number counts as the
	// same build.
	sameBuild := c.Build == 0 || c.Build == ownership.Build()
	if !ok || !sameBuild {
		return nil, hookrun.ErrAlone
	}
	o := hookrun.Owner{
		Dir: l.Dir, Pace: l.Pace, Handle: func(r wire.Request) wire.Reply { return l.owner.Handle(ctx, r) },
	}
	return hookrun.Carried(o, c, func(wait time.Duration) {
		if wait > answerWait {
			_, _ = conn.Write(frame.AppendWait(nil, uint32(l.Pace.Of(wait).Milliseconds())))
		}
	})
}
