package match

import (
	"encoding/binary"
	"strings"
	"unicode"
)

// plain is a text in compatible characters, with single spaces, without quotation marks, and with / in the paths of
// Windows. It keeps upper case, and knows where each byte comes from. Paths and commands are searched in it.
type plain struct {
	text string
	from []int // by byte: where its character begins in the source
	to   []int // and where it ends

	begins *[1 << 13]uint64 // a filter of all strings of beginningBytes; nil without one
}

// beginningBytes is the length of the strings in the filter.
const beginningBytes = 8

// indexed fills the filter and returns the text.
func (p *plain) indexed() *plain {
	p.begins = new([1 << 13]uint64)
	for i := range max(0, len(p.text)-beginningBytes+1) {
		word, bit := hashed(p.text[i:])
		p.begins[word] |= bit
	}
	return p
}

// hashed returns the filter's bit for the first bytes of a string.
func hashed(s string) (word int, bit uint64) {
	sum := binary.LittleEndian.Uint64([]byte(s[:beginningBytes])) * 0x9e3779b97f4a7c15
	return int(sum >> 51), 1 << (sum >> 45 & 63)
}

// mayHold reports whether the text may contain a string. false is certain.
func (p *plain) mayHold(s string) bool {
	if p.begins == nil || len(s) < beginningBytes {
		return true
	}
	for i := len(s) - beginningBytes; i >= 0; i-- { // the end is often the most distinctive part
		if word, bit := hashed(s[i:]); p.begins[word]&bit == 0 {
			return false
		}
	}
	return true
}

func plainOf(s string) *plain {
	var b strings.Builder
	b.Grow(len(s))
	p := &plain{from: make([]int, 0, len(s)), to: make([]int, 0, len(s))}
	space := true
	for _, g := range glyphs(s) {
		r := g.r
		if r == '"' || r == '\'' {
			continue
		}
		if r == '\\' && g.to < len(s) {
			if s[g.to] == '\\' {
				continue // as in code
			}
			if s[g.to] >= 0x80 || isNameByte(s[g.to]) {
				r = '/'
			}
		}
		if r != '\n' && unicode.IsSpace(r) {
			if space {
				continue
			}
			r = ' '
		}
		space = r == ' ' || r == '\n'
		for range b.Len() + len(string(r)) - len(p.from) {
			p.from, p.to = append(p.from, g.from), append(p.to, g.to)
		}
		b.WriteRune(r)
	}
	p.text = b.String()
	return p
}

// maxPlaces bounds the places of one string, and so the time of a search.
const maxPlaces = 64

// find yields the first maxPlaces places of a string, in order.
func (p *plain) find(what string) func(yield func(from, to int) bool) {
	return func(yield func(from, to int) bool) {
		if what == "" || !p.mayHold(what) {
			return
		}
		at := 0
		for range maxPlaces {
			i := strings.Index(p.text[at:], what)
			if i < 0 || !yield(at+i, at+i+len(what)) {
				return
			}
			at += i + 1
		}
	}
}

// named returns the first place of a string in a byte range that is not part of a longer name, -1 for none.
func (p *plain) named(what string, low, high int) int {
	for from, to := range p.find(what) {
		if low <= from && to <= high && !isNameByte(p.byteAt(from-1)) && !isNameByte(p.byteAt(to)) {
			return from
		}
	}
	return -1
}

// byteAt returns a byte of the text, or a line feed outside of it.
func (p *plain) byteAt(i int) byte {
	if i < 0 || i >= len(p.text) {
		return '\n'
	}
	return p.text[i]
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}
