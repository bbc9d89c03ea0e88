package payload

import (
	"bytes"
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
