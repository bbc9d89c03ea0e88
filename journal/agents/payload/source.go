package payload

import (
	"fmt"
	"io"
)

const (
	firstRead = 4 << 10  // the common payload is 2 KB
	nextRead  = 64 << 10 // the capacity of a pipe on Linux
)

// source is the input with a window on it. The window is never larger than
// nextRead; what has to be seen at once (an escape, a rune) is a few bytes.
type source struct {
	r    io.Reader
	buf  []byte // the window; buf[pos:] is not yet consumed
	pos  int
	base int64 // offset of buf[0] in the input
	err  error // why reading ended
}

// fill moves what is left to the front of the window and reads more after it.
// It returns false when there is no more.
func (s *source) fill() bool {
	if s.err != nil {
		return false
	}
	rest := s.buf[s.pos:]
	switch {
	case cap(s.buf) == 0:
		s.buf = make([]byte, 0, firstRead)
	case len(s.buf) == cap(s.buf) && cap(s.buf) < nextRead:
		s.buf = append(make([]byte, 0, nextRead), rest...)
	default:
		s.buf = s.buf[:copy(s.buf, rest)]
	}
	s.base += int64(s.pos)
	s.pos = 0
	// A reader may return nothing without an error now and then; one that does
	// so a hundred times is broken, as package bufio holds as well.
	for range 100 {
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		s.err = err
		if n > 0 || err != nil {
			return n > 0
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// peek returns the next n bytes without consuming them, fewer at the end of the
// input. It is meant for small n.
func (s *source) peek(n int) []byte {
	for len(s.buf)-s.pos < n && s.fill() {
	}
	return s.buf[s.pos:min(s.pos+n, len(s.buf))]
}

// token skips white space and returns the next byte without consuming it.
func (s *source) token() (byte, error) {
	for {
		for ; s.pos < len(s.buf); s.pos++ {
			switch c := s.buf[s.pos]; c {
			case ' ', '\n', '\r', '\t':
			default:
				return c, nil
			}
		}
		if !s.fill() {
			return 0, s.end()
		}
	}
}

// end returns the error for an input that ends too early.
func (s *source) end() error {
	if s.err != io.EOF {
		return fmt.Errorf("read payload: %w", s.err)
	}
	return s.syntax("unexpected end")
}

// syntax returns an error at the current position.
func (s *source) syntax(msg string) error {
	return &SyntaxError{Offset: s.base + int64(s.pos), Msg: msg}
}
