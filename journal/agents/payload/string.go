package payload

import (
	"encoding/binary"
	"math/bits"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"journal/events/text"
)

// stringNode reads a string. It returns nil if the string was skipped or omitted.
func (p *parser) stringNode(at position) (*node, error) {
	if !at.keep {
		return nil, p.scan(nil)
	}
	tap := p.limits.Taps[string(p.path)]
	if b, ok := p.shortString(p.limits.String); ok && tap == nil {
		if n := p.newNode(String, len(b), at); n != nil {
			n.text = string(b)
			p.pos += len(b) + 2
			return n, nil
		}
	}
	limit := p.limits.String
	if p.pathMatches(p.limits.Whole) {
		limit = max(limit, maxWhole)
	}
	h := &p.held
	h.reset(limit, p.limits.head(), p.limits.tail())
	h.tap = tap
	if err := p.scan(h); err != nil {
		return p.tornNode(h, at), err
	}
	if h.fits() {
		if n := p.newNode(String, len(h.buf), at); n != nil {
			n.text = string(h.buf)
			return n, nil
		}
	}
	return p.longNode(h, at), nil
}

// longNode returns a node with the two ends of a string, or with only its length if the budget does not allow the ends. It returns nil if
// the budget does not allow that either.
func (p *parser) longNode(h *textBuffer, at position) *node {
	at.top = false // the spare pool is for short fields, not for shortened ones
	size := h.size()
	h.shrink()
	// Clean removes the margins, so they do not count. At least half of the held bytes count, so that held strings need at most twice
	// Limits.Total.
	price := max(p.limits.head()+p.limits.tail()+text.MaxMark, len(h.buf)/2)
	n := p.newNode(String, price, at)
	if n == nil {
		if n = p.newNode(String, text.MaxMark, at); n == nil {
			return nil
		}
		h.buf, h.edge, h.lost = h.buf[:0], 0, size
	}
	n.text, n.cut = string(h.buf), true
	n.long = &longText{edge: h.edge, lost: h.lost, head: p.limits.head(), tail: p.limits.tail()}
	return n
}

// tornNode returns a node with the beginning of a string within which the input ended. It returns nil for a string of up to 8 KiB, which
// may be an id, because half an id is another id, and if the budget does not allow the beginning.
func (p *parser) tornNode(h *textBuffer, at position) *node {
	h.flush()
	if h.size() <= 2*margin {
		return nil
	}
	size := h.size()
	h.shrink()
	h.buf = h.buf[:h.edge]
	at.top = false
	n := p.newNode(String, p.limits.head()+text.MaxMark, at)
	if n != nil {
		n.text, n.cut = string(h.buf), true
		n.long = &longText{edge: h.edge, lost: size - h.edge, torn: true, head: p.limits.head()}
	}
	return n
}

// name reads the name of a member. If keep is set and the name is not too long, it adds the name to the path and returns true.
func (p *parser) name(keep bool) (bool, error) {
	if !keep {
		return false, p.scan(nil)
	}
	if b, ok := p.shortString(maxName); ok {
		p.path = append(p.path, b...)
		p.pos += len(b) + 2
		return true, nil
	}
	h := &p.held
	h.reset(maxName, 0, 0)
	if err := p.scan(h); err != nil {
		return false, err
	}
	if !h.fits() {
		return false, nil
	}
	p.path = append(p.path, h.buf...)
	return true, nil
}

// shortString returns the string at the current quote without consuming it, if the buffer has all of the string, and the string has no
// escape, is valid UTF-8 and has at most limit bytes. Most strings are like that, and need no other copy.
func (p *parser) shortString(limit int) ([]byte, bool) {
	b := p.buf[p.pos+1:]
	n := plainLength(b)
	if n == len(b) || b[n] != '"' || n > limit || !utf8.Valid(b[:n]) {
		return nil, false
	}
	return b[:n], true
}

// scan reads a string, quotes included, and adds the decoded text to h. A nil h skips the string.
func (p *parser) scan(h *textBuffer) error {
	p.pos++
	for {
		b := p.buf[p.pos:]
		n := plainLength(b)
		if n+1 < len(b) && b[n] == '\\' && escapes[b[n+1]] != 0 {
			if h != nil {
				h.addByte(b[:n], escapes[b[n+1]])
			}
			p.pos += n + 2
			continue
		}
		inBuffer := n < len(b) // a quote or backslash follows
		if !inBuffer && h != nil {
			n -= partialLength(b)
		}
		if h != nil && n > 0 {
			h.add(b[:n])
		}
		p.pos += n
		switch {
		case !inBuffer:
			if !p.fill() {
				return p.end()
			}
		case b[n] == '"':
			p.pos++
			if h != nil {
				h.flush()
			}
			return nil
		default:
			r, n, err := p.escape()
			if err != nil {
				return err
			}
			p.pos += n
			if h != nil {
				h.addRune(r)
			}
		}
	}
}

// escapes maps the character after the backslash of an escape such as \n to the byte that the escape means, other characters to 0.
var escapes = [256]byte{
	'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape returns the character of the escape at the current backslash, and the length of the escape in bytes, without consuming it. Two
// escaped surrogates that form a pair are one escape.
func (p *parser) escape() (rune, int, error) {
	b := p.peek(2)
	if len(b) < 2 {
		return 0, 0, p.end()
	}
	if c := escapes[b[1]]; c != 0 {
		return rune(c), 2, nil
	}
	const one, two = len(`\u0000`), len(`\u0000\u0000`)
	if b[1] == 'u' {
		b = p.peek(one)
	}
	r, ok := hex4(b)
	switch {
	case !ok && b[1] == 'u' && len(b) < one:
		return 0, 0, p.end()
	case !ok:
		return 0, 0, p.syntax("bad escape")
	case !utf16.IsSurrogate(r):
		return r, one, nil
	}
	if b = p.peek(two); len(b) == two {
		if low, ok := hex4(b[one:]); ok {
			if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
				return pair, two, nil
			}
		}
	}
	return utf8.RuneError, one, nil
}

// hex4 decodes an escape of the form \u0000 at the beginning of b. ok is false if there is none.
func hex4(b []byte) (r rune, ok bool) {
	if len(b) < 6 || b[0] != '\\' || b[1] != 'u' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(b[2:6]), 16, 16)
	return rune(n), err == nil
}

// plainLength returns the number of bytes before the first quote or backslash, the length of b if there is none. It examines eight bytes
// at a time. A quote in the word w is a zero byte in q, and (q-ones)&^q has the high bit of each zero byte. Bits above the lowest one may
// be wrong, because a borrow of the subtraction affects higher bytes.
func plainLength(b []byte) int {
	const (
		ones   = 0x0101010101010101
		highs  = ones << 7
		quotes = ones * '"'
		slants = ones * '\\'
	)
	i := 0
	for ; i+8 <= len(b); i += 8 {
		w := binary.LittleEndian.Uint64(b[i:])
		q, s := w^quotes, w^slants
		if m := ((q-ones)&^q | (s-ones)&^s) & highs; m != 0 {
			return i + bits.TrailingZeros64(m)/8
		}
	}
	for ; i < len(b) && b[i] != '"' && b[i] != '\\'; i++ {
	}
	return i
}

// partialLength returns the length of an unfinished UTF-8 sequence at the end of b, 0 if there is none.
func partialLength(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if last := b[len(b)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}
