package search

import (
	"strings"

	"journal/events"
)

// Stretch is how many sequences a Mesh is of.
const Stretch = 1 << 10

// MeshBytes is the length of a Mesh.
const MeshBytes = 8 << 10

// Mesh is what the texts of some events are made of: a bit for each three bytes that follow each other in one, as search
// compares texts. What it lets through may stand there; what it holds back does not.
type Mesh [MeshBytes]byte

// Fill lets everything through: what could not be read may hold anything.
func (m *Mesh) Fill() {
	for i := range m {
		m[i] = 0xFF
	}
}

// Add takes in the texts of an event.
func (m *Mesh) Add(e events.Envelope) {
	if e.EchoOf != 0 {
		return
	}
	if byBytes(e) {
		each(string(e.Body), func(at int, bit byte) bool { m[at] |= bit; return true })
		return
	}
	ev, err := events.Open(e)
	if err != nil {
		return // as Query.In has it
	}
	if _, unknown := ev.(events.Unknown); unknown {
		m.Fill()
		return
	}
	events.MapText(ev, func(s string) string {
		each(folded(s), func(at int, bit byte) bool { m[at] |= bit; return true })
		return s
	})
}

// lets says whether all words of a query may stand in the events; false is certain.
func (m *Mesh) lets(q Query) bool {
	for _, w := range q {
		for part := range strings.FieldsSeq(w) {
			if !each(part, func(at int, bit byte) bool { return m[at]&bit != 0 }) {
				return false
			}
		}
	}
	return true
}

// each gives the place of the bit for each three bytes of a text, in lower case, until do returns false; it says whether
// none did.
func each(s string, do func(at int, bit byte) bool) bool {
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
		sum := three * 0x9E3779B1 >> 16
		if !do(int(sum>>3), 1<<(sum&7)) {
			return false
		}
	}
	return true
}
