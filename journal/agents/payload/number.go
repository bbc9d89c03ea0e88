package payload

import "io"

// The states of a number, by what was read last.
const (
	numStart = iota
	numMinus
	numZero
	numInt
	numPoint
	numFrac
	numE
	numSign
	numExp
	numBad
)

// num reads a number and keeps its text as it is: a float64 would lose digits of
// an id and has no room for 1e999.
func (p *parser) num(at position) (*node, error) {
	p.number = p.number[:0]
	state := numStart
	for {
		if p.pos == len(p.buf) && !p.fill() {
			// At the end of the input a number is known to be complete only if
			// nothing has to follow it.
			if at.depth > 0 || !numDone(state) || p.err != io.EOF {
				return nil, p.end()
			}
			break
		}
		c := p.buf[p.pos]
		next := numStep(state, c)
		if next == numBad {
			if !numDone(state) {
				return nil, p.syntax("expected a digit")
			}
			break
		}
		state = next
		p.pos++
		if len(p.number) <= maxNumber {
			p.number = append(p.number, c)
		}
	}
	if len(p.number) > maxNumber {
		n := p.keep(Null, 0, at)
		if n != nil {
			n.text, n.cut = "null", true
		}
		return n, nil
	}
	n := p.keep(Number, len(p.number), at)
	if n != nil {
		n.text = p.text(p.number)
	}
	return n, nil
}

// numDone tells whether a number may end in the state.
func numDone(state int) bool {
	return state == numZero || state == numInt || state == numFrac || state == numExp
}

// numStep returns the state after c, numBad if c does not belong to the number.
func numStep(state int, c byte) int {
	digit := '0' <= c && c <= '9'
	switch state {
	case numStart, numMinus:
		switch {
		case c == '-' && state == numStart:
			return numMinus
		case c == '0':
			return numZero
		case digit:
			return numInt
		}
	case numZero, numInt:
		switch {
		case c == '.':
			return numPoint
		case c == 'e' || c == 'E':
			return numE
		case digit && state == numInt:
			return numInt
		}
	case numPoint, numFrac:
		switch {
		case digit:
			return numFrac
		case (c == 'e' || c == 'E') && state == numFrac:
			return numE
		}
	case numE, numSign, numExp:
		switch {
		case digit:
			return numExp
		case (c == '+' || c == '-') && state == numE:
			return numSign
		}
	}
	return numBad
}
