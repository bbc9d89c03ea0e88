package archive

import (
	"context"
	"fmt"
)

// Summary is what Check found.
type Summary struct {
	Segments int
	Records  uint64 // good ones
	First    uint64 // sequence of the first good record, 0 for none
	Last     uint64 // and of the last
	Bytes    int64  // of the segment files that count
	Chain    Chain  // after the last record, as far as damage lets it be known
	Damage   []Damage
	Open     bool // the last segment is not sealed
}

// Check reads the whole archive: checksums of files and records, seals, that
// sequences begin with 1 and follow each other, and that the rolling hash goes
// through. An archive cut off at its end is whole for Check: compare Last with
// the log. The error is ErrNewer, the context's, or one of the disk; the report
// then goes as far as Check came.
func Check(ctx context.Context, dir string) (Summary, error) {
	var r Summary
	next, known := uint64(1), true
	for s, err := range segments(ctx, dir, 1) {
		if err != nil {
			return r, err
		}
		r.Segments++
		r.Bytes += s.size
		r.Open = s.open()
		r.Records += uint64(len(s.bodies))
		if n := len(s.bodies); n > 0 {
			if r.First == 0 {
				r.First = bodySeq(s.bodies[0])
			}
			r.Last = bodySeq(s.bodies[n-1])
		}
		if s.first > next {
			r.Damage = append(r.Damage, gap(next, s.first-1))
			known = false
		} else if s.first < next {
			s.hurt(s.first, next-1, "records lie in two segments")
		}
		if s.headed && known && s.header.before != r.Chain {
			s.hurt(s.first, s.first, fmt.Sprintf("chain does not follow from #%d", s.first-1))
		}
		whole := len(s.damage) == 0
		if whole {
			r.Chain = s.chain()
			if s.sealed && r.Chain != s.seal.chain {
				s.hurt(s.first, s.last, "chain of the seal is not that of the records")
			}
		} else if s.sealed {
			r.Chain = s.seal.chain
		}
		known = whole || s.sealed
		r.Damage = append(r.Damage, s.damage...)
		next = max(next, s.next, s.last+1)
	}
	return r, nil
}
