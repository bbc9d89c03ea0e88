package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
)

// act is an action of a person at a terminal: when the screen has shown the text sees since the action before, they type types.
type act struct {
	sees  string // without white space, because clients move the cursor instead
	types string
}

// screen is the screen of a terminal. It is safe for concurrent use.
type screen struct {
	terminal io.ReadWriter
	kept     io.Writer // gets a copy of all output
	repaint  func()    // makes the client draw everything again
	mu       sync.Mutex
	shown    []byte // output since the last act
}

// read reads the client's output until the client closes the terminal, and answers its requests to the terminal.
func (s *screen) read() {
	b := make([]byte, 1<<16)
	for {
		n, err := s.terminal.Read(b)
		if err != nil {
			return
		}
		_, _ = s.kept.Write(b[:n])
		if bytes.Contains(b[:n], []byte("\x1b[6n")) { // where the cursor is
			_, _ = io.WriteString(s.terminal, "\x1b[1;1R")
		}
		s.mu.Lock()
		s.shown = append(s.shown, b[:n]...)
		s.mu.Unlock()
	}
}

// unseen matches white space and escape sequences.
var unseen = regexp.MustCompile(`\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[\[\d;?>=<!]*[ -/]*[@-~]|[\s\x00-\x1f]`)

// repaintEach is the number of polls for a text after which a client is made to draw everything again. A client writes only the
// letters that changed, such as "unn" if "Reading" becomes "Running".
const repaintEach = 20

// play does some acts, one after the other. It returns an error when ctx ends.
func (s *screen) play(ctx context.Context, acts []act) error {
	for _, a := range acts {
		for looks := 1; ; looks++ {
			s.mu.Lock()
			text := string(unseen.ReplaceAll(s.shown, nil))
			found := strings.Contains(text, a.sees)
			if found {
				s.shown = nil
			}
			s.mu.Unlock()
			if found {
				break
			}
			if looks%repaintEach == 0 {
				s.repaint()
			}
			if err := pause(ctx); err != nil {
				return fmt.Errorf("it never showed %q, but at its end: %.600s %w", a.sees, text[max(0, len(text)-600):], err)
			}
		}
		if err := pause(ctx); err != nil { // what is typed at once after something counts as pasted
			return err
		}
		if _, err := io.WriteString(s.terminal, a.types); err != nil {
			return err
		}
	}
	return nil
}

// pause waits until the next poll.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(lookEach):
		return nil
	}
}
