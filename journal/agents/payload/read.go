// Package payload reads the one JSON document a hook receives on its standard input.
//
// Such a document is 100 bytes to 600 KB in practice and 100 MB by accident or
// attack. Read goes over it once, in fixed memory, and keeps the ends of what is
// too long, so that a huge payload costs time and never a failure, and the
// session id after a 50 MB field is still found (ADR-0014). A broken
// document yields what came before the break: a hook is told once, and half of
// what it was told is worth more than an error.
//
// Glossary:
//
//   - kept: a value that is part of the result.
//   - held: the text of a string that is too long, with a margin on both sides
//     of the coming cut, until Clean has removed the secrets.
//   - cut: shortened or left out because of a limit.
//   - mark: the text that stands where bytes were left out,
//     "…[+N bytes sha256:16 hex digits]…".
//   - path: the names that lead to a value, joined by dots, an element of an
//     array written as "[]": "tool_input.todos[].content".
//   - unit: a UTF-16 code unit, in which clients count their own limits.
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

// Read reads one JSON document from r until its end, in one pass and in memory
// bounded by lim, not by the input.
//
// White space around the document and a byte order mark before it are skipped.
// Escapes are decoded; a lone surrogate and a byte that is not UTF-8 become
// U+FFFD. Control characters inside strings, which JSON forbids, are taken as
// they are: refusing them would lose all that follows. Of members with the same
// name in one object the last is kept. A member with a name longer than 4 KiB is
// left out, and a number longer than 1 KiB becomes null.
//
// The value is meaningful also beside an error. Input that ends too early, is
// broken, or goes on after the document gives a *SyntaxError, and an error of r
// is returned wrapped: in both cases the value holds what was complete by then,
// with open objects and arrays closed and marked as cut. A number or name that the
// break goes through is left out, and so is a string of up to 8 KiB: half an id is
// another id. A longer one is kept as its beginning, marked as cut. Input
// without a document gives ErrEmpty. Read does not panic on any input.
//
// Read returns when r ends, not when the document does; a caller whose r may stay
// open sets a deadline on it.
func Read(r io.Reader, lim Limits) (Value, error) {
	lim = lim.withDefaults()
	p := parser{
		source: source{r: r},
		lim:    &lim,
		budget: newBudget(lim.Total, lim.Items),
	}
	if lim.Whole != nil {
		p.whole = func() int {
			if p.asks(lim.Whole) {
				return lim.WholeLimit
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
	if err == nil {
		err = p.rest()
	}
	return Value{n}, err
}

// rest checks that nothing but white space follows.
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

// ErrEmpty is returned by Read for an input of nothing but white space. There is
// no value; the caller has most likely been started without a hook's input.
var ErrEmpty = errors.New("payload is empty")

// SyntaxError is returned by Read, as a pointer, for input that is not one JSON
// document. The value returned with it holds all that was complete before Offset.
type SyntaxError struct {
	Offset int64  // bytes of the input before the offending one
	Msg    string // what was found or missing there
}

// Error names the place and what is wrong there. It never quotes the input,
// which may hold secrets.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("invalid json at offset %d: %s", e.Offset, e.Msg)
}

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

const (
	// margin is held on each side of a coming cut, so that a secret on its edge
	// is seen whole by the redaction (ADR-0016 rule 4). A 4096 bit private key in
	// PEM form is 3.2 KB.
	margin = 4 << 10

	// maxName bounds the name of a member. Names are mostly identifiers, but a
	// file path (PATH_MAX is 4096 on Linux) or a question can be one.
	maxName = 4 << 10

	// maxNumber bounds the text of a number; nothing that is measured is longer.
	maxNumber = 1 << 10

	// maxSpare is the largest top level field that may use the reserve. All ids,
	// paths and modes of docs/CLIENTS.md §2 are smaller.
	maxSpare = 1 << 10

	// maxPath bounds the paths that Whole and Drop are asked about, because each
	// question allocates one.
	maxPath = 256

	// maxDepth bounds Limits.Depth: reading recurses, and encoding/json, which
	// others use to read what we write, gives up there as well.
	maxDepth = 10_000
)

// Limits bounds what Read keeps. The zero value of each field means its default.
// The sizes of strings are those of ADR-0014.
type Limits struct {
	// String is the longest string kept whole, in bytes of decoded UTF-8. It is
	// raised where Head, Tail and the mark would be longer. Default 16 KiB.
	String int

	// Head and Tail are the bytes kept of the two ends of a longer string.
	// Defaults: a half and a quarter of String (8 KiB and 4 KiB).
	Head, Tail int

	// Whole tells the paths whose strings are kept whole up to WholeLimit. It is
	// asked only about strings longer than String. Nil means none.
	Whole func(path string) bool

	// WholeLimit is the longest string kept whole where Whole says so, in bytes,
	// and at least String. Default 256 KiB.
	WholeLimit int

	// Drop tells the members that are skipped without being kept, such as
	// "user_email", with all that is in them. It is asked about each member that
	// would be kept; Cut does not report what it removed. Paths longer than
	// 256 bytes are not asked about, by neither Drop nor Whole. Nil means none.
	Drop func(path string) bool

	// Taps get the text of the strings at their paths, in pieces as it is decoded and
	// all of it, whatever is kept. It stands before the redaction. What comes before a
	// break in the input has been given; errors of Write are of no interest. A string
	// in what is left out has no path and is not given. Nil means none.
	Taps map[string]io.Writer

	// Total bounds the bytes of all strings, names and numbers kept after the
	// final cut. A string that does not fit becomes a mark, and anything else is
	// left out. One eighth is reserved for short top level fields, so that the
	// session is known whatever comes before it. Default 512 KiB.
	Total int

	// Depth is the number of objects and arrays that may be open at once; deeper
	// ones become null, and of their syntax only strings and brackets are
	// followed. At most 10,000. Default 64.
	Depth int

	// Items bounds the members and elements kept in all, with the same reserve
	// of one eighth. Default 10,000.
	Items int
}

// Paths tells the paths that are listed, and all below those that end with a dot. It is for
// Whole and Drop.
func Paths(listed ...string) func(path string) bool {
	var below []string
	for _, one := range listed {
		if strings.HasSuffix(one, ".") {
			below = append(below, one)
		}
	}
	return func(path string) bool {
		return slices.Contains(listed, path) ||
			slices.ContainsFunc(below, func(one string) bool { return strings.HasPrefix(path, one) })
	}
}

// withDefaults returns l with every field filled and the sizes made consistent.
func (l Limits) withDefaults() Limits {
	l.String = cmp.Or(max(l.String, 0), 16<<10)
	l.Head = cmp.Or(max(l.Head, 0), l.String/2)
	l.Tail = cmp.Or(max(l.Tail, 0), l.String/4)
	l.String = max(l.String, l.Head+l.Tail+text.MaxMark)
	l.WholeLimit = max(cmp.Or(max(l.WholeLimit, 0), 256<<10), l.String)
	l.Total = cmp.Or(max(l.Total, 0), 512<<10)
	l.Depth = min(cmp.Or(max(l.Depth, 0), 64), maxDepth)
	l.Items = cmp.Or(max(l.Items, 0), 10_000)
	return l
}
