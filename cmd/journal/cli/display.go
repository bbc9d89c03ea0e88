package cli

import (
	"io"
	"slices"
	"sync"
	"unicode/utf8"

	"journal/events/text"
)

// display is a writer of text for people. It replaces characters that control a terminal or hide text by dots. Output that must
// arrive unchanged is written to the writer behind it (Verbatim). It is safe for concurrent use.
type display struct {
	to io.Writer
	// inert is set for text that an agent reads: tags that have a meaning for clients are broken, too.
	inert bool
	// above is a line that is written before the first text. If no text is written, it is not written either.
	above string

	mu     sync.Mutex
	cut    []byte // first bytes of a character whose last bytes have not been written yet
	failed error  // the first error of a write, which most verbs ignore
}

// Write implements io.Writer. It keeps the beginning of a character that b cuts until the next call.
func (d *display) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	whole := append(d.cut, b...)
	end := len(whole)
	for i := 1; i <= min(utf8.UTFMax-1, end); i++ {
		if last := whole[end-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				end -= i
			}
			break
		}
	}
	shown := text.Printable(string(whole[:end]))
	if d.inert {
		shown = text.Inert(shown)
	}
	d.cut = slices.Clone(whole[end:])
	if err := d.write(shown); err != nil {
		return 0, err
	}
	return len(b), nil
}

// write writes a text as it is, below the line above. mu must be held.
func (d *display) write(s string) error {
	if s == "" {
		return nil
	}
	s, d.above = d.above+s, ""
	_, err := io.WriteString(d.to, s)
	if d.failed == nil {
		d.failed = err
	}
	return err
}

// writeSequences writes a text with the program's own terminal sequences to w, which may be a display.
func writeSequences(w io.Writer, s string) error {
	d, ok := w.(*display)
	if !ok {
		d = &display{to: w}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.write(s)
}

// setAbove sets above.
func (d *display) setAbove(line string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.above = line
}

// writeError returns the first error of writing text to w, nil if w is no display.
func writeError(w io.Writer) error {
	d, ok := w.(*display)
	if !ok {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failed
}

// Verbatim returns the writer behind a display, for output that is not text for people: JSON, the bytes of a file. It
// returns any other writer itself. TestDisplay holds the list of permitted callers.
func Verbatim(w io.Writer) io.Writer {
	if d, ok := w.(*display); ok {
		return d.to
	}
	return w
}

// Document returns the writer for a text that must arrive unchanged in a file or a pipe. On a terminal the text is shown like any
// other.
func (t *Terminal) Document() io.Writer {
	if IsTerminal(t.Out) {
		return t.Out
	}
	return Verbatim(t.Out)
}
