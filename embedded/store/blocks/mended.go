package blocks

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"journal/journal/record"
)

// Second is another copy of a stream: it gives the messages after one sequence up to and with another in order, those
// that it has, to each until it returns false. Data is valid only during the call.
type Second func(ctx context.Context, after, until uint64, each func(record.Record) bool) error

// Beside makes the reader go on where the files are damaged: what they do not give is asked of another copy, and what
// that does not have either is given as a record with a sequence and nothing else. It is called before the first use.
func (r *Reader) Beside(s Second) *Reader {
	r.second = s
	return r
}

// mended reads past damage, one block after the other: that takes 0.25 s per million messages.
type mended struct {
	ctx     context.Context
	second  Second
	wants   func(subject string) bool
	each    func(record.Record) bool
	next    uint64 // that was not given yet
	until   uint64
	stopped bool
}

// errEnough ends a scan.
var errEnough = errors.New("enough")

func (m *mended) read(s Stream) error {
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
		m.give(r)
		return nil
	})
	switch {
	case m.stopped, errors.Is(err, errEnough):
		return nil
	case err == nil && found.Unknown != "":
		err = fmt.Errorf("%w: %s", ErrUnreadable, found.Unknown)
	}
	if err == nil {
		// Behind the last good record nobody here knows whether anything is lost.
		err = m.fill(m.until, false)
	}
	if err == nil && !m.stopped && m.next <= m.until {
		err = fmt.Errorf("%w: #%d", ErrUnreadable, m.next)
	}
	return err
}

// fill gives what the other copy has up to a sequence; all says whether what it lacks is given as lost.
func (m *mended) fill(until uint64, all bool) error {
	if m.stopped || m.next > until {
		return nil
	}
	err := m.second(m.ctx, m.next-1, until, func(r record.Record) bool {
		m.lost(r.Seq - 1)
		if !m.stopped {
			m.give(r)
		}
		return !m.stopped
	})
	if err == nil && all {
		m.lost(until)
	}
	return err
}

// lost gives sequences that nobody has.
func (m *mended) lost(until uint64) {
	for ; !m.stopped && m.next <= until; m.next++ {
		m.stopped = !m.each(record.Record{Seq: m.next})
	}
}

func (m *mended) give(r record.Record) {
	m.next = r.Seq + 1
	if m.wants(r.Subject) {
		m.stopped = !m.each(r)
	}
}

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
