package writer

// placesSize is how many of the newest event ids keep their place in memory:
// askers come back for an answer within seconds.
const placesSize = 4096

// places remembers where the newest events are, by id.
type places struct {
	seqs map[string]uint64
	ring []string
	next int
}

func (p *places) put(id string, seq uint64) {
	if p.seqs == nil {
		p.seqs = make(map[string]uint64, placesSize)
		p.ring = make([]string, placesSize)
	}
	if _, known := p.seqs[id]; !known {
		delete(p.seqs, p.ring[p.next])
		p.ring[p.next] = id
		p.next = (p.next + 1) % placesSize
	}
	p.seqs[id] = seq
}

func (p *places) get(id string) (uint64, bool) {
	seq, ok := p.seqs[id]
	return seq, ok
}
