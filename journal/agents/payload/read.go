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
	"errors"
	"fmt"
	"io"
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
