package embedded

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"journal/embedded/store/ownership"
	"journal/journal/wire/sock"
)

// acceptPause is the wait after a failed accept, which is a lack of file
// descriptors; without it the loop would take a whole core.
const acceptPause = 10 * time.Millisecond

// Serve opens the unix socket, with mode 0600, and bridges every connection of
// the current user to the server, as the local user. It returns as soon as
// clients can connect. It is separate from Own so that the stream and the
// services are there before the first request. It returns [ownership.ErrClosed] after
// StopAccepting and [ownership.ErrReplaced] when the lock guards nothing any more.
//
// A socket that a dead owner left is replaced; anything else in its place is
// moved aside, never deleted.
func (s *Server) Serve() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return fmt.Errorf("serve: %w", ownership.ErrClosed)
	}
	if s.listener != nil {
		return errors.New("serve: already serving")
	}
	// The socket is only made under the lock (ADR-0004 rule 4).
	if !s.lock.Intact() {
		return fmt.Errorf("serve: %w", ownership.ErrReplaced)
	}
	l, path, err := listenAside(s.lock.Dir())
	if err != nil {
		return fmt.Errorf("serve: %w", err)
	}
	fi, err := os.Lstat(path)
	if err != nil {
		l.Close()
		return fmt.Errorf("serve: %w", err)
	}
	s.listener, s.path, s.socket = l, path, fi
	s.accepting.Add(1)
	go s.accept(l)
	return nil
}

// listenAside binds under another name and renames, so that a client never
// meets a socket with the wrong mode, or one that nobody listens on yet.
func listenAside(dir string) (l *net.UnixListener, path string, err error) {
	path, err = sock.Prepare(dir)
	if err != nil {
		return nil, "", err
	}
	// Shorter than the final name, which may be as long as names may be.
	aside := strings.TrimSuffix(path, ".sock") + ".new"
	if err := clearPlace(aside); err != nil {
		return nil, "", err
	}
	l, err = net.ListenUnix("unix", &net.UnixAddr{Name: aside, Net: "unix"})
	if err != nil {
		return nil, "", err
	}
	l.SetUnlinkOnClose(false) // It would unlink by name; see StopAccepting.
	defer func() {
		if err != nil {
			err = errors.Join(err, l.Close(), os.Remove(aside))
		}
	}()
	if err := os.Chmod(aside, 0o600); err != nil {
		return nil, "", err
	}
	if err := clearPlace(path); err != nil {
		return nil, "", err
	}
	if err := os.Rename(aside, path); err != nil {
		return nil, "", err
	}
	return l, path, nil
}

// clearPlace makes way for a socket at path: a socket is stale, since we have
// the lock, and goes; anything else was put there by someone and is kept under
// another name.
func clearPlace(path string) error {
	fi, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if fi.Mode()&fs.ModeSocket != 0 {
		return os.Remove(path)
	}
	return os.Rename(path, path+".aside-"+strconv.FormatInt(time.Now().UnixNano(), 10))
}

func (s *Server) accept(l *net.UnixListener) {
	defer s.accepting.Done()
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

// StopAccepting closes the socket and waits until no further connection is
// taken; connections that exist go on. The socket file is removed if it is the
// one that Serve made and the lock still guards the directory; a successor's
// socket is never touched. Calling it again does nothing.
func (s *Server) StopAccepting() {
	s.mu.Lock()
	l := s.listener
	if s.stopped || l == nil {
		s.stopped = true
		s.mu.Unlock()
		return
	}
	s.stopped = true
	path, made := s.path, s.socket
	s.mu.Unlock()

	if fi, err := os.Lstat(path); err == nil && os.SameFile(fi, made) && s.lock.Intact() {
		if err := sock.Remove(s.lock.Dir(), path); err != nil {
			s.log.Warn("socket not removed", "err", err)
		}
	}
	l.Close()
	s.accepting.Wait()
}
