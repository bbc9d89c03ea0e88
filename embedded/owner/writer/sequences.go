package writer

// sequencesSize is the number of events whose sequences are cached. That is enough, because a hook asks for the answer to an event within
// seconds. Of the events before the owner's start only those that Remember reads are cached.
const sequencesSize = 4096

// sequences caches the sequences of the newest events, by id.
type sequences struct {
	seqs map[string]uint64
	ring []string // ids
	next int      // index in ring of the oldest id
}

func (s *sequences) put(id string, seq uint64) {
	if s.seqs == nil {
		s.seqs = make(map[string]uint64, sequencesSize)
		s.ring = make([]string, sequencesSize)
	}
	if _, known := s.seqs[id]; !known {
		delete(s.seqs, s.ring[s.next])
		s.ring[s.next] = id
		s.next = (s.next + 1) % sequencesSize
	}
	s.seqs[id] = seq
}

func (s *sequences) get(id string) (uint64, bool) {
	seq, ok := s.seqs[id]
	return seq, ok
}
