package archive

import (
	"context"
	"fmt"
	"iter"
	"math"

	"journal/journal/record"
)

// Replace mends an archive that no Writer has open. Records of first to last
// come from good, in order; what else the segments of that range hold is kept.
// Damaged files are renamed aside, never deleted. When the mended records are
// others than before, the segments behind them are written again too, since
// their chain rests on them. A stretch that no segment holds is filled in.
//
// The error is ErrMissing when a sequence can be found nowhere; segments in
// front of it are mended then, and the others as they were.
func Replace(ctx context.Context, dir string, first, last uint64, good iter.Seq2[record.Record, error]) error {
	if first == 0 || last < first {
		return fmt.Errorf("mend the archive: no range: #%d to #%d", first, last)
	}
	next, stop := iter.Pull2(good)
	defer stop()
	m := &mender{dir: dir, first: first, last: last, good: next}
	if err := m.run(ctx); err != nil {
		return fmt.Errorf("mend the archive: %w", err)
	}
	return nil
}

type mender struct {
	dir         string
	first, last uint64
	good        func() (record.Record, error, bool)
	held        *record.Record // from good, not used yet
	chain       Chain          // behind at-1
	at          uint64
}

func (m *mender) run(ctx context.Context) error {
	groups, err := list(m.dir)
	if err != nil {
		return err
	}
	m.at = 1
	for _, group := range groups {
		if err := ctx.Err(); err != nil {
			return err
		}
		s, err := best(m.dir, group)
		if err != nil {
			return err
		}
		if s.first > m.at && m.at <= m.last {
			if err := m.fill(m.at, min(s.first-1, m.last)); err != nil {
				return err
			}
		}
		end := s.last
		if s.open() {
			end = max(s.next-1, min(m.last, s.damageEnd()))
		}
		switch {
		case end < s.first: // an open segment without records
		case s.first > m.last && (!s.headed || s.header.before == m.chain):
			// What lies behind rests on the chain it always rested on, or is to be
			// mended itself.
			return nil
		case end >= m.first:
			if err := m.rewrite(s, end, group); err != nil {
				return err
			}
		case s.sealed:
			m.chain, m.at = s.seal.chain, end+1
		case len(s.damage) > 0:
			return fmt.Errorf("mend what lies in front first: %w", &s.damage[0])
		default:
			m.chain, m.at = s.chain(), end+1
		}
	}
	if m.at <= m.last {
		return m.fill(m.at, m.last)
	}
	return nil
}

// damageEnd is the last sequence that damage of the segment names.
func (s *segment) damageEnd() uint64 {
	if n := len(s.damage); n > 0 {
		return s.damage[n-1].Last
	}
	return 0
}

// rewrite makes a segment's file again.
func (m *mender) rewrite(s *segment, end uint64, files []segmentFile) error {
	kept := make(map[uint64][]byte, len(s.bodies))
	for _, body := range s.bodies {
		kept[bodySeq(body)] = body
	}
	_, err := m.write(s.first, end, math.MaxInt, kept, files)
	return err
}

// fill makes segments of a stretch that none holds.
func (m *mender) fill(first, last uint64) error {
	for first <= last {
		next, err := m.write(first, last, sealAt, nil, nil)
		if err != nil {
			return err
		}
		first = next
	}
	return nil
}

// write makes one sealed segment of a range, or of its beginning when that has
// limit bytes, and sets aside the files it replaces. next is the sequence behind
// it.
func (m *mender) write(first, last uint64, limit int, kept map[uint64][]byte, replaced []segmentFile) (next uint64, err error) {
	raw, chain := header{first: first, before: m.chain}.append(nil), m.chain
	for next = first; next <= last && len(raw) < limit; next++ {
		r, err := m.record(next, kept)
		if err != nil {
			return 0, err
		}
		start := len(raw)
		if raw, err = appendFrame(raw, r); err != nil {
			return 0, err
		}
		chain = chain.after(raw[start+frameHead:])
	}
	if err := writeSealed(m.dir, first, raw, seal{last: next - 1, count: next - first, chain: chain}, replaced...); err != nil {
		return 0, err
	}
	m.chain, m.at = chain, next
	return next, nil
}

// record gives the record of a sequence.
func (m *mender) record(seq uint64, kept map[uint64][]byte) (record.Record, error) {
	if seq >= m.first && seq <= m.last {
		for {
			if m.held == nil {
				r, err, ok := m.good()
				if err != nil {
					return r, err
				}
				if !ok {
					break
				}
				m.held = &r
			}
			if m.held.Seq > seq {
				break
			}
			r := *m.held
			m.held = nil
			if r.Seq == seq {
				return r, nil
			}
		}
	}
	if body, ok := kept[seq]; ok {
		subject := ""
		return recordOf(body, &subject), nil
	}
	return record.Record{}, fmt.Errorf("%w: #%d", ErrMissing, seq)
}
