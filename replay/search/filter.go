package search

import (
	"strings"

	"journal/events"
)

// FilterSpan is the number of sequences that a Filter covers.
const FilterSpan = 1 << 10

// FilterBytes is the size of a Filter.
const FilterBytes = 8 << 10

// Filter is a Bloom filter over the texts of events: each three consecutive bytes of their folded texts set a bit. It may hold more
// than the texts, because the stored bytes of most events are added as they are.
type Filter [FilterBytes]byte

// Fill makes the filter match every query, for events whose texts are unknown.
func (f *Filter) Fill() {
	for i := range f {
		f[i] = 0xFF
	}
}

// Add adds the texts of an event.
func (f *Filter) Add(e events.Envelope) {
	if e.EchoOf != 0 {
		return
	}
	if byBytes(e) {
		eachBit(string(e.Body), func(at int, bit byte) bool { f[at] |= bit; return true })
		return
	}
	ev, err := events.Open(e)
	if err != nil {
		return // Query.FindIn finds nothing in it
	}
	if _, unknown := ev.(events.Unknown); unknown {
		f.Fill()
		return
	}
	events.MapText(ev, func(s string) string {
		eachBit(folded(s), func(at int, bit byte) bool { f[at] |= bit; return true })
		return s
	})
}

// mayContain reports whether all words of a query may be in the events. If it is false, at least one word is in none of them. Words of
// fewer than three bytes always may.
func (f *Filter) mayContain(q Query) bool {
	for _, w := range q {
		for part := range strings.FieldsSeq(w) {
			if !eachBit(part, func(at int, bit byte) bool { return f[at]&bit != 0 }) {
				return false
			}
		}
	}
	return true
}

// eachBit calls do with the index of the byte and the bit of the filter for each three consecutive bytes of a text, ASCII in lower
// case, until do returns false. It returns false if do did.
func eachBit(s string, do func(at int, bit byte) bool) bool {
	three := uint32(0)
	for i := range len(s) {
		c := s[i]
		if c >= 'A' && c <= 'Z' {
			c += 'a' - 'A'
		}
		three = three<<8&0xFFFFFF | uint32(c)
		if i < 2 {
			continue
		}
		sum := three * 0x9E3779B1 >> 16 // multiplicative hashing; 16 bits number the bits of the filter
		if !do(int(sum>>3), 1<<(sum&7)) {
			return false
		}
	}
	return true
}
