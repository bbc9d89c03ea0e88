package blocks

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"journal/journal/record"
)

// Fallback reads another copy of a stream. It calls each with the messages of that copy after one sequence, up to and including
// another, in order, until each returns false. Data is valid only during the call.
type Fallback func(ctx context.Context, after, until uint64, each func(record.Record) bool) error

// WithFallback lets the reader continue after damage with the messages of another copy. For messages missing there too it yields a
// record with only a sequence. Call it before the first use.
func (r *Reader) WithFallback(f Fallback) *Reader {
	r.fallback = f
	return r
}

// fallbackReader reads past damage, block by block: 0.25 s per million messages.
type fallbackReader struct {
	ctx      context.Context
	fallback Fallback
	wants    func(subject string) bool
	each     func(record.Record) bool
	next     uint64 // the next sequence to yield
	until    uint64
	stopped  bool
}

// errEnough ends a scan.
var errEnough = errors.New("enough")

func (m *fallbackReader) read(s Stream) error {
	found, err := Scan(m.ctx, s, nil, func(r record.Record) error {
		if r.Seq < m.next {
			return nil
		}
		if err := m.fill(min(r.Seq-1, m.until), true); err != nil {
			return err
		}
		if m.stopped || r.Seq > m.until {
			return errEnough
		}
		m.yield(r)
		return nil
	})
	switch {
	case m.stopped, errors.Is(err, errEnough):
		return nil
	case err != nil:
		return err
	case found.Unknown != "":
		return fmt.Errorf("%w: %s", ErrUnreadable, found.Unknown)
	}
	// After the last good record it is unknown whether messages are lost.
	if err := m.fill(m.until, false); err != nil {
		return err
	}
	if !m.stopped && m.next <= m.until {
		return fmt.Errorf("%w: #%d", ErrUnreadable, m.next)
	}
	return nil
}

// fill yields the messages of the other copy up to a sequence. With all, it yields the missing ones as lost, also at the end.
func (m *fallbackReader) fill(until uint64, all bool) error {
	if m.stopped || m.next > until {
		return nil
	}
	err := m.fallback(m.ctx, m.next-1, until, func(r record.Record) bool {
		m.lost(r.Seq - 1)
		if !m.stopped {
			m.yield(r)
		}
		return !m.stopped
	})
	if err != nil {
		return err
	}
	if all {
		m.lost(until)
	}
	return nil
}

// lost yields sequences that no copy has.
func (m *fallbackReader) lost(until uint64) {
	for ; !m.stopped && m.next <= until; m.next++ {
		m.stopped = !m.each(record.Record{Seq: m.next})
	}
}

func (m *fallbackReader) yield(r record.Record) {
	m.next = r.Seq + 1
	if m.wants(r.Subject) {
		m.stopped = !m.each(r)
	}
}

// seekPoints caches offsets in the newest block. The end of a log is read often, and the up to 8 MB before it need not be.
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

// note adds a seek point for a message, if the last one is far enough away.
func (m *seekPoints) note(b block, seq uint64, offset int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.index > m.block {
		m.block, m.all = b.index, m.all[:0]
	}
	last := int64(0)
	if n := len(m.all); n > 0 {
		last = m.all[n-1].offset
	}
	if b.index == m.block && offset >= last+seekEvery {
		m.all = append(m.all, seekPoint{seq, offset})
	}
}

// before returns the offset at which to start reading a block to reach a message.
func (m *seekPoints) before(b block, seq uint64) int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.index != m.block {
		return 0
	}
	for i := len(m.all) - 1; i >= 0; i-- {
		if m.all[i].seq <= seq {
			return m.all[i].offset
		}
	}
	return 0
}

// reset removes all seek points.
func (m *seekPoints) reset() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.all = nil
}
