// Package payload reads the one JSON document that a hook receives on its standard input.
//
// Such a document usually has 100 bytes to 600 KB, and may have 100 MB by accident or attack. Read reads it once, in fixed memory, and
// keeps the two ends of a long string. So a huge payload takes time but does not fail, and the session id after a 50 MB field is still
// found (ADR-0014). Of a broken document the part before the break is kept: a hook is called once, and half of its input is better
// than an error.
//
// Glossary:
//
//   - kept: part of the result.
//   - held: the text of a string that is too long, with a margin on both sides
//     of the later cut, until Clean has removed the secrets.
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

// Read reads one JSON document from r until its end, in one pass and in memory bounded by lim, not by the input.
//
// It skips white space around the document and a byte order mark before it. It decodes escapes; a lone surrogate and a
// byte that is not UTF-8 become U+FFFD. It accepts control characters inside strings, which JSON forbids: refusing them
// would lose all that follows. Of members with the same name in one object it keeps the last. It omits a member with a
// name longer than 4 KiB, and a number longer than 1 KiB becomes null.
//
// The value is meaningful even beside an error. Input that ends too early, is broken, or continues after the document
// is a *SyntaxError, and an error of r is returned wrapped. In both cases the value holds what was complete by then,
// with open objects and arrays closed and marked as cut. If the break is inside a number, a name or a string of up to 8
// KiB, that is omitted: half an id is another id. Of a longer string the beginning is kept, marked as cut. Input
// without a document is ErrEmpty. Read does not panic on any input.
//
// Read returns when r ends, not when the document does; a caller whose r may stay open must set a deadline on it.
func Read(r io.Reader, lim Limits) (Value, error) {
	lim = lim.withDefaults()
	p := parser{
		source: source{r: r},
		limits: &lim,
		budget: newBudget(lim.Total, lim.Items),
	}
	if lim.Whole != nil {
		p.whole = func() int {
			if p.pathMatches(lim.Whole) {
				return maxWhole
			}
			return 0
		}
	}
	if bom := []byte("\xEF\xBB\xBF"); bytes.Equal(p.peek(len(bom)), bom) {
		p.pos += len(bom)
	}
	c, err := p.token()
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

// rest returns an error if anything but white space follows the document.
func (p *parser) rest() error {
	_, err := p.token()
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
	firstRead = 4 << 10  // bytes; a usual payload has 2 KB
	nextRead  = 64 << 10 // bytes; the capacity of a pipe on Linux
)

// source is the input with a buffer, which is never larger than nextRead.
type source struct {
	r    io.Reader
	buf  []byte // buf[pos:] is not consumed yet
	pos  int
	base int64 // offset of buf[0] in the input
	err  error // the error that ended reading, nil before
}

// fill moves the bytes that are not consumed to the front of the buffer, and reads more after them. It returns false at the end of the
// input.
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
	// A reader may sometimes return neither bytes nor an error. Like package bufio, fill gives up after a hundred times.
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

// peek returns the next n bytes without consuming them, fewer at the end of the input. n must be small.
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

// end returns the error for an input that ends too early, or cannot be read further.
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

const (
	// margin is the number of bytes that are held on each side of a later cut, so that the redaction sees a secret at the edge
	// whole (ADR-0016 rule 4). A 4096 bit private key in PEM form has 3.2 KB.
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

	// maxDepth is the number of objects and arrays that may be open at once. Deeper ones become null; of their syntax
	// only strings and brackets are followed.
	maxDepth = 64

	// maxWhole is the longest string kept whole where Limits.Whole allows it, in bytes.
	maxWhole = 256 << 10
)

// Limits bounds what Read keeps. The zero value of each field means its default.
// ADR-0014 has the reasons for the sizes of strings.
type Limits struct {
	// String is the longest string kept whole, in bytes of decoded UTF-8. Of a longer one the first half of String and
	// the last quarter are kept. Default 16 KiB; less than 256 bytes count as 256.
	String int

	// Whole reports whether the string at a path is kept whole up to 256 KiB. It is called only for strings longer
	// than String. Nil means none.
	Whole func(path string) bool

	// Drop reports whether to skip a member with everything in it, such as "user_email". It is called for each member
	// that would be kept; Cut ignores what it removed. Neither Drop nor Whole is called for paths longer than 256
	// bytes. Nil means none.
	Drop func(path string) bool

	// Taps receive the complete text of the strings at their paths, in pieces as it is decoded, however little is kept.
	// It is not redacted. Text before a break in the input is included; errors of Write are ignored. A string within an
	// omitted value has no path and is not included. Nil means none.
	Taps map[string]io.Writer

	// Total bounds the bytes of all strings, names and numbers kept after the final cut. A string that does not fit
	// becomes a mark, and anything else is omitted. One eighth is reserved for short top-level fields, so that the
	// session is known whatever precedes it. Default 512 KiB.
	Total int

	// Items bounds the number of members and elements kept, with the same reserve of one eighth. Default 10,000.
	Items int
}

// Paths returns a function for Limits.Whole and Limits.Drop that matches the listed paths, and all paths that begin with a listed path
// that ends with a dot.
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

// withDefaults returns l with all sizes set. String is at least so large that the two ends of a string and the mark fit into it.
func (l Limits) withDefaults() Limits {
	l.String = max(cmp.Or(l.String, 16<<10), 4*text.MaxMark)
	l.Total, l.Items = cmp.Or(l.Total, 512<<10), cmp.Or(l.Items, 10_000)
	return l
}

// head and tail are the bytes kept of the two ends of a long string.
func (l Limits) head() int { return l.String / 2 }
func (l Limits) tail() int { return l.String / 4 }
