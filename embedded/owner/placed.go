package owner

// placedSize is how many of the newest event ids keep their place in memory:
// askers come back for an answer within seconds.
const placedSize = 4096

// placed remembers where the newest events are, by id.
type placed struct {
	seqs map[string]uint64
	ring []string
	next int
}

func (p *placed) put(id string, seq uint64) {
	if p.seqs == nil {
		p.seqs = make(map[string]uint64, placedSize)
		p.ring = make([]string, placedSize)
	}
	if _, known := p.seqs[id]; !known {
		delete(p.seqs, p.ring[p.next])
		p.ring[p.next] = id
		p.next = (p.next + 1) % placedSize
	}
	p.seqs[id] = seq
}

func (p *placed) get(id string) (uint64, bool) {
	seq, ok := p.seqs[id]
	return seq, ok
}
