// Package payload reads the one JSON document that a hook receives on its standard input.
//
// Such a document usually has 100 bytes to 600 KB, and may have 100 MB by accident or attack. Read reads the document once, in bounded
// memory, and keeps the two ends of a long string. So a huge payload takes time but does not fail, and the session id after a 50 MB
// field is still found (ADR-0014). Of a broken document the part before the break is kept: a hook is called once, and half of its input
// is better than an error.
//
// Glossary:
//
//   - kept: part of the result.
//   - held: of a string that is too long, the two ends that are in memory until
//     Clean has removed the secrets. Each has a margin beyond its final size.
//   - cut: shortened or omitted because of a limit.
//   - mark: the text that replaces omitted bytes,
//     "…[+N bytes sha256:16 hex digits]…".
//   - path: the names that lead to a value, joined by dots, with "[]" for an
//     element of an array: "tool_input.todos[].content".
package payload

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"journal/events/text"
)

// Read reads one JSON document from r until the end of r, in one pass, and in memory bounded by lim and not by the input.
//
// It skips white space around the document and a byte order mark before it. It decodes escapes; a lone surrogate and a
// byte that is not UTF-8 become U+FFFD. It accepts control characters inside strings, although JSON forbids them, because
// otherwise the rest of the document would be lost. Of members with the same name in one object it keeps the last. It
// omits a member with a name longer than 4 KiB, and a number longer than 1 KiB becomes null.
//
// The value is meaningful even beside an error. The error is a *SyntaxError if the input ends too early, is broken, or
// continues after the document; an error of r is returned wrapped. In both cases the value holds everything that was
// complete by then, with open objects and arrays closed and marked as cut. If the break is inside a number, a name or a
// string of up to 8 KiB, Read omits this item: half an id is another id. Of a longer string it keeps the beginning,
// marked as cut. For input without a document the error is ErrEmpty. Read does not panic on any input.
//
// Read returns when r ends, not when the document does; a caller whose r may stay open must set a deadline on it.
func Read(r io.Reader, lim Limits) (Value, error) {
	lim = lim.withDefaults()
	p := parser{
		source: source{r: r},
		limits: &lim,
		budget: newBudget(lim.Total, lim.Items),
	}
	if bom := []byte("\xEF\xBB\xBF"); bytes.Equal(p.peek(len(bom)), bom) {
		p.pos += len(bom)
	}
	c, err := p.nextByte()
	if err != nil {
		if p.err == io.EOF {
			err = ErrEmpty
		}
		return Value{}, err
	}
	n, err := p.value(c, position{keep: true, top: true})
	if err != nil {
		return Value{n}, err
	}
	return Value{n}, p.rest()
}

// rest reads the input after the document. It returns an error if anything but white space follows.
func (p *parser) rest() error {
	_, err := p.nextByte()
	if err == nil {
		return p.syntax("more after the document")
	}
	if p.err == io.EOF {
		return nil
	}
	return err
}

// ErrEmpty is returned by Read for an input of only white space: the program was probably started without a hook's input.
var ErrEmpty = errors.New("payload is empty")

// SyntaxError is returned by Read, as a pointer, for input that is not one JSON document.
type SyntaxError struct {
	Offset int64  // offset of the first invalid byte
	Msg    string // the problem at the offset
}

// Error returns the offset and the problem. It never quotes the input, which may have secrets.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid json at offset %d: %s", e.Offset, e.Msg)
}

const (
	firstRead = 4 << 10  // first size of the buffer in bytes: a usual payload has 2 KB
	nextRead  = 64 << 10 // its size after a first full buffer, in bytes: the capacity of a pipe on Linux
)

// source is the input with a buffer, which is never larger than nextRead.
type source struct {
	r    io.Reader
	buf  []byte // buf[pos:] is not consumed yet
	pos  int
	base int64 // offset of buf[0] in the input
	err  error // the error that ended reading, nil before
}

// fill moves the bytes that are not consumed to the front of the buffer, and reads more bytes after them. It returns false if there are
// none; err is the reason.
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
	// A reader may sometimes return neither bytes nor an error. As package bufio does, fill gives up after a hundred times.
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

// peek returns the next n bytes without consuming them, fewer at the end of the input. n must not exceed firstRead.
func (s *source) peek(n int) []byte {
	for len(s.buf)-s.pos < n && s.fill() {
	}
	return s.buf[s.pos:min(s.pos+n, len(s.buf))]
}

// nextByte skips white space and returns the next byte without consuming it.
func (s *source) nextByte() (byte, error) {
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

// end returns the error for an input that ends too early, or cannot be read further.
func (s *source) end() error {
	if s.err != io.EOF {
		return fmt.Errorf("read payload: %w", s.err)
	}
	return s.syntax("unexpected end")
}

// syntax returns a SyntaxError at the current position.
func (s *source) syntax(msg string) error {
	return &SyntaxError{Offset: s.base + int64(s.pos), Msg: msg}
}

const (
	// margin is the number of bytes that are held beyond the final size of each end of a long string, so that the redaction sees a
	// secret at the cut whole (ADR-0016 rule 4). A private key of 4096 bits has 3.2 KB in PEM form.
	margin = 4 << 10

	// maxName bounds the name of a member in bytes. Most names are identifiers, but a name may also be a path (PATH_MAX is 4096
	// on Linux) or a question.
	maxName = 4 << 10

	// maxNumber bounds the text of a number in bytes.
	maxNumber = 1 << 10

	// maxSpare is the size of the largest top-level field that may use the spare pool, in bytes. All ids, paths and modes of
	// docs/CLIENTS.md §2 are smaller.
	maxSpare = 1 << 10

	// maxPath bounds the paths that are passed to Whole and Drop, in bytes, because each call allocates one.
	maxPath = 256

	// maxDepth is the number of objects and arrays that may be open at once. Deeper ones become null, and only the strings
	// and brackets in them are checked.
	maxDepth = 64

	// maxWhole is the longest string that Limits.Whole keeps whole, in bytes.
	maxWhole = 256 << 10
)

// Limits bounds what Read keeps. The zero value of each field means its default.
// ADR-0014 has the reasons for the sizes of strings.
type Limits struct {
	// String is the longest string kept whole, in bytes of decoded UTF-8. Of a longer one the first half of String and
	// the last quarter are kept. Default 16 KiB; less than 256 bytes count as 256.
	String int

	// Whole reports whether the string at a path is kept whole up to 256 KiB. Nil means none.
	Whole func(path string) bool

	// Drop reports whether to skip the member at a path with everything in it, such as "user_email". It is called for each
	// member that would be kept. A skipped member does not count as cut. Neither Drop nor Whole is called for paths longer
	// than 256 bytes. Nil means none.
	Drop func(path string) bool

	// Taps maps paths to writers. A writer receives the complete text of the strings at its path, in pieces as they are
	// decoded, however little of them is kept. The text is not redacted, and includes text before a break in the input. A
	// string within an omitted value is not included, because it has no path. Errors of Write are ignored. Nil means none.
	Taps map[string]io.Writer

	// Total bounds the bytes of all strings, names and numbers that are kept after the final cut. A string that does not
	// fit becomes a mark, and any other value is omitted. One eighth is reserved for short top-level fields, so that the
	// session is known whatever precedes it. Default 512 KiB.
	Total int

	// Items bounds the number of members and elements that are kept, with the same reserve of one eighth. Default 10,000.
	Items int
}

// Paths returns a function for Limits.Whole and Limits.Drop. It is true for each listed path. If a listed path ends with a dot, it is
// also true for all paths that begin with it.
func Paths(listed ...string) func(path string) bool {
	var below []string
	for _, prefix := range listed {
		if strings.HasSuffix(prefix, ".") {
			below = append(below, prefix)
		}
	}
	return func(path string) bool {
		return slices.Contains(listed, path) ||
			slices.ContainsFunc(below, func(prefix string) bool { return strings.HasPrefix(path, prefix) })
	}
}

// withDefaults returns l with all sizes set. It raises a String into which the two ends of a string and the mark would not fit.
func (l Limits) withDefaults() Limits {
	l.String = max(cmp.Or(l.String, 16<<10), 4*text.MaxMark)
	l.Total, l.Items = cmp.Or(l.Total, 512<<10), cmp.Or(l.Items, 10_000)
	return l
}

// head and tail return the numbers of bytes that are kept of the beginning and the end of a long string.
func (l Limits) head() int { return l.String / 2 }
func (l Limits) tail() int { return l.String / 4 }
