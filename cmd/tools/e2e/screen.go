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

// act is something that a person does at a terminal: it types when the screen has shown a text since what it did before.
type act struct {
	sees  string // without white space: clients move the cursor instead
	types string
}

// screen is what a person sees of a terminal. It is safe for concurrent use.
type screen struct {
	terminal io.ReadWriter
	kept     io.Writer // everything, for people who look
	repaint  func()    // lets the client show everything again
	mu       sync.Mutex
	shown    []byte
}

// read takes what the client shows until nobody has the other end open, and answers what it asks the terminal itself.
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

// unseen is what a terminal does not show: white space, and its commands.
var unseen = regexp.MustCompile(`\x1b\][^\x07\x1b]*(\x07|\x1b\\)|\x1b[\[\d;?>=<!]*[ -/]*[@-~]|[\s\x00-\x1f]`)

// repaintEach is after how many looks for a text a client is asked to show everything again: it writes only the letters
// that changed, "unn" where "Reading" becomes "Running".
const repaintEach = 20

// play does some acts, one after the other. It ends with an error when ctx does.
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

// pause waits until the next look.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(lookEach):
		return nil
	}
}
