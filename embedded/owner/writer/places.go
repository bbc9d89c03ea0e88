package writer

// placesSize is the number of the newest events that are remembered. A request for an answer to an event comes within seconds.
const placesSize = 4096

// places holds the sequences of the newest events by their ids.
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
