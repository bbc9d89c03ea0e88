package cli

import (
	"io"
	"sync"
	"unicode/utf8"

	"journal/events/text"
)

// display is where people read what the program says. Whatever is written to it arrives
// without what steers a terminal or hides a text: so no verb has to think of it, and what
// is to arrive as it is goes past it, by verbatim. It is safe for concurrent use.
type display struct {
	to io.Writer
	// inert says that an agent reads it: tags to which clients give a meaning arrive
	// broken up, too.
	inert bool
	// above is written before anything else, if anything is.
	above string

	mu   sync.Mutex
	rest []byte // the beginning of a character of which the end was not written yet
}

// under gives a display of the same place that writes a line above whatever comes first.
func (d *display) under(line string) *display { return &display{to: d.to, inert: d.inert, above: line} }

// Write satisfies io.Writer.
func (d *display) Write(b []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	whole := append(d.rest, b...)
	end := len(whole)
	for i := 1; i <= min(utf8.UTFMax-1, end); i++ {
		if last := whole[end-i:]; utf8.RuneStart(last[0]) {
			if !utf8.FullRune(last) {
				end -= i
			}
			break
		}
	}
	if d.above != "" {
		if _, err := io.WriteString(d.to, d.above); err != nil {
			return 0, err
		}
		d.above = ""
	}
	said := text.Printable(string(whole[:end]))
	if d.inert {
		said = text.Inert(said)
	}
	d.rest = append([]byte(nil), whole[end:]...)
	if _, err := io.WriteString(d.to, said); err != nil {
		return 0, err
	}
	return len(b), nil
}

// Verbatim gives what a display writes to, for what is not a text for people: JSON, the
// bytes of a file, the sequences of a terminal that are our own. TestDisplay holds the list
// of those who may.
func Verbatim(w io.Writer) io.Writer {
	if d, ok := w.(*display); ok {
		return d.to
	}
	return w
}

// Document is where a text goes that is to be word for word where it is kept, in a file or
// a pipe; on a terminal it is shown as everything else.
func (t *Terminal) Document() io.Writer {
	if IsTerminal(t.Out) {
		return t.Out
	}
	return Verbatim(t.Out)
}
