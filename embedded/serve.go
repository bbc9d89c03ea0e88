package embedded

import (
	"errors"
	"fmt"
	"net"
	"os"
	"time"

	"journal/embedded/store/ownership"
	"journal/journal/wire/sock"
)

// acceptPause is the delay after a failed accept, which means a lack of file descriptors. Without the delay the loop would take a whole
// core.
const acceptPause = 10 * time.Millisecond

// Serve opens the unix socket, with mode 0600, and bridges every connection of the current user to the server, as localUser. It returns as
// soon as clients can connect. It is separate from Own so that the caller can create the stream and subscribe before the first request. It
// returns [ownership.ErrClosed] after StopAccepting, and [ownership.ErrReplaced] if the lock no longer guards the directory.
//
// It replaces a socket that a dead owner left. Any other file in its place is moved aside, never deleted.
func (s *Server) Serve() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return fmt.Errorf("serve: %w", ownership.ErrClosed)
	}
	if s.listener != nil {
		return errors.New("serve: already serving")
	}
	// The socket is created only under the lock (ADR-0004 rule 4).
	if !s.lock.Intact() {
		return fmt.Errorf("serve: %w", ownership.ErrReplaced)
	}
	path, err := sock.Prepare(s.lock.Dir())
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	l, err := sock.Listen(path)
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	fi, err := os.Lstat(path)
	if err != nil {
		l.Close()
		return fmt.Errorf("serve: %w", err)
	}
	s.listener, s.socketPath, s.socketInfo = l, path, fi
	s.accepting.Go(func() { s.accept(l) })
	return nil
}

// accept bridges connections until the listener is closed.
func (s *Server) accept(l *net.UnixListener) {
	for {
		conn, err := l.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			s.log.Warn("accept failed", "err", err)
			time.Sleep(acceptPause)
			continue
		}
		if err := sock.CheckPeer(conn); err != nil {
			s.log.Warn("connection refused", "err", err)
			conn.Close()
			continue
		}
		s.bridge(conn)
	}
}

// StopAccepting closes the socket and waits until no further connection is accepted. Existing connections go on. It removes the
// socket file if Serve created it and the lock still guards the directory; it never touches a successor's socket. A second call does
// nothing.
func (s *Server) StopAccepting() {
	s.mu.Lock()
	l := s.listener
	if s.stopped || l == nil {
		s.stopped = true
		s.mu.Unlock()
		return
	}
	s.stopped = true
	path, info := s.socketPath, s.socketInfo
	s.mu.Unlock()

	if fi, err := os.Lstat(path); err == nil && os.SameFile(fi, info) && s.lock.Intact() {
		if err := sock.Remove(s.lock.Dir(), path); err != nil {
			s.log.Warn("socket not removed", "err", err)
		}
	}
	l.Close()
	s.accepting.Wait()
}
