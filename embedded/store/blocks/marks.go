package blocks

import "sync"

// marks are places in the newest block that was passed over: the end of a log is read
// again and again, and lies behind up to 8 MB that need not be read for it.
type marks struct {
	mu    sync.Mutex
	block int // its number
	all   []mark
}

// mark is where a message begins.
type mark struct {
	seq uint64
	at  int64
}

// markEvery is how many bytes lie between two marks at least.
const markEvery = 64 << 10

// note takes note of a message that was passed over.
func (m *marks) note(b block, seq uint64, at int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.index > m.block {
		m.block, m.all = b.index, m.all[:0]
	}
	last := int64(0)
	if n := len(m.all); n > 0 {
		last = m.all[n-1].at
	}
	if b.index == m.block && at >= last+markEvery {
		m.all = append(m.all, mark{seq, at})
	}
}

// before gives where to begin in a block to come to a message, 0 for its beginning.
func (m *marks) before(b block, seq uint64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.index != m.block {
		return 0
	}
	for i := len(m.all) - 1; i >= 0; i-- {
		if m.all[i].seq <= seq {
			return m.all[i].at
		}
	}
	return 0
}

// forget forgets all places.
func (m *marks) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = nil
}
