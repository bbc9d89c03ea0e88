package payload

import "io"

// The states of a number, by what was read last, and the classes of bytes in it.
const (
	numBad = iota
	numStart
	numMinus
	numZero
	numInt
	numPoint
	numFrac
	numE
	numSign
	numExp
)

const (
	other = iota
	minus
	plus
	zero
	digit
	point
	letter
)

var numClass = [256]uint8{
	'-': minus, '+': plus, '.': point, 'e': letter, 'E': letter,
	'0': zero, '1': digit, '2': digit, '3': digit, '4': digit, '5': digit, '6': digit, '7': digit, '8': digit, '9': digit,
}

// numNext gives the state after a byte of a class; what is not here is numBad.
var numNext = [numExp + 1][letter + 1]uint8{
	numStart: {minus: numMinus, zero: numZero, digit: numInt},
	numMinus: {zero: numZero, digit: numInt},
	numZero:  {point: numPoint, letter: numE},
	numInt:   {zero: numInt, digit: numInt, point: numPoint, letter: numE},
	numPoint: {zero: numFrac, digit: numFrac},
	numFrac:  {zero: numFrac, digit: numFrac, letter: numE},
	numE:     {minus: numSign, plus: numSign, zero: numExp, digit: numExp},
	numSign:  {zero: numExp, digit: numExp},
	numExp:   {zero: numExp, digit: numExp},
}

// num reads a number and keeps its text as it is: a float64 would lose digits of
// an id and has no room for 1e999.
func (p *parser) num(at position) (*node, error) {
	p.number = p.number[:0]
	state := uint8(numStart)
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
		next := numNext[state][numClass[c]]
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
func numDone(state uint8) bool {
	return state == numZero || state == numInt || state == numFrac || state == numExp
}
