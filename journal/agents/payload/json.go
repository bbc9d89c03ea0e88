package payload

import (
	"encoding/json"
	"io"
	"strings"
	"unicode/utf8"
)

// JSON returns the value as compact JSON, nil if it is absent. The order of members and the digits of numbers are as received, and
// strings are valid UTF-8. Before Clean, strings may contain secrets.
func (v Value) JSON() []byte {
	if v.n == nil {
		return nil
	}
	return v.appendJSON(nil)
}

// appendJSON appends the JSON of a value to b.
func (v Value) appendJSON(b []byte) []byte {
	switch v.n.kind {
	case String:
		return appendString(b, v.Str())
	case Array:
		b = append(b, '[')
		for c := range v.children() {
			if c != v.n.first {
				b = append(b, ',')
			}
			b = Value{c}.appendJSON(b)
		}
		return append(b, ']')
	case Object:
		b = append(b, '{')
		for c := range v.children() {
			if c != v.n.first {
				b = append(b, ',')
			}
			b = appendString(b, c.name)
			b = append(b, ':')
			b = Value{c}.appendJSON(b)
		}
		return append(b, '}')
	}
	return append(b, v.n.text...)
}

// appendString appends s as a JSON string. It escapes only the characters that JSON requires. encoding/json also escapes characters for
// web pages, which makes code unreadable. Bytes that are not UTF-8 become U+FFFD.
func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	done := 0 // the number of bytes of s that are in b
	for i, r := range s {
		var esc string
		switch {
		case r == '"':
			esc = `\"`
		case r == '\\':
			esc = `\\`
		case r == '\n':
			esc = `\n`
		case r == '\r':
			esc = `\r`
		case r == '\t':
			esc = `\t`
		case r < ' ':
			esc = `\u00` + hex[r>>4:r>>4+1] + hex[r&15:r&15+1]
		case r == utf8.RuneError:
			if _, size := utf8.DecodeRuneInString(s[i:]); size != 1 {
				continue
			}
			esc = "\uFFFD"
		default:
			continue
		}
		b = append(b, s[done:i]...)
		b = append(b, esc...)
		done = i + 1
	}
	b = append(b, s[done:]...)
	return append(b, '"')
}

// numberBytes are the bytes that a number may have.
const numberBytes = "0123456789+-.eE"

// numberNode reads a number and keeps its text, because a float64 would lose digits of an id, and cannot represent 1e999. It returns nil
// if the number was skipped or omitted.
func (p *parser) numberNode(at position) (*node, error) {
	p.number = p.number[:0]
	for {
		if p.pos == len(p.buf) && !p.fill() {
			// At the end of the input a number is complete only if it is the whole document.
			if at.depth > 0 || p.err != io.EOF {
				return nil, p.end()
			}
			break
		}
		c := p.buf[p.pos]
		if strings.IndexByte(numberBytes, c) < 0 {
			break
		}
		p.pos++
		if len(p.number) <= maxNumber {
			p.number = append(p.number, c)
		}
	}
	switch {
	case len(p.number) > maxNumber:
		return p.null(at), nil
	case !json.Valid(p.number):
		return nil, p.syntax("expected a number")
	}
	n := p.newNode(Number, len(p.number), at)
	if n != nil {
		n.text = string(p.number)
	}
	return n, nil
}
