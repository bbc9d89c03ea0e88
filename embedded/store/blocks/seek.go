package blocks

import "sync"

// seekPoints caches offsets of messages in the newest block that was read. The end of a log is read often. With a seek point up to 8 MiB
// before that end need not be read.
type seekPoints struct {
	mu    sync.Mutex
	block int // number of the block
	all   []seekPoint
}

// seekPoint is the offset of a message.
type seekPoint struct {
	seq    uint64
	offset int64
}

// seekEvery is the least distance of two seek points, in bytes.
const seekEvery = 64 << 10

// note adds a seek point for a message, unless the last seek point is too near.
func (p *seekPoints) note(b block, seq uint64, offset int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.index > p.block {
		p.block, p.all = b.index, p.all[:0]
	}
	last := int64(0)
	if n := len(p.all); n > 0 {
		last = p.all[n-1].offset
	}
	if b.index == p.block && offset >= last+seekEvery {
		p.all = append(p.all, seekPoint{seq, offset})
	}
}

// before returns the offset at which reading of a block starts in order to reach a message.
func (p *seekPoints) before(b block, seq uint64) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b.index != p.block {
		return 0
	}
	for i := len(p.all) - 1; i >= 0; i-- {
		if p.all[i].seq <= seq {
			return p.all[i].offset
		}
	}
	return 0
}

// reset removes all seek points.
func (p *seekPoints) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.all = nil
}
