package backfill

import "sync"

// meter says how far an import has come. A byte counts by half when it is read and
// wholly when what it tells is on its way into the log: to read takes about as long as
// to store, and runs ahead. Several goroutines may count.
type meter struct {
	show func(done int64) // nil: nobody asks

	mu     sync.Mutex
	halves int64
}

func (m *meter) count(bytes int64) {
	if m.show == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.halves += bytes
	m.show(m.halves / 2)
}
