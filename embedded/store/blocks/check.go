package blocks

import (
	"context"
	"errors"
	"slices"
)

// checkBytes is the number of bytes that are checked between two calls of pace.
const checkBytes = 256 << 10

// Check is the state of a check of a stream's blocks.
type Check struct {
	Block int    `json:"block"` // number of the last checked block; 0 for none
	Seq   uint64 `json:"seq"`   // newest sequence up to the end of that block
}

// CheckNext checks the block after the last checked one, and returns the damage of that block and the records that are missing before it.
// more is false if there was no such block: then CheckNext returns the records that are missing at the end. until is a sequence that the
// server has acknowledged. pace is called about every checkBytes with the number of bytes read. An error of pace ends the check, and the
// next call reads the block again.
func (s Stream) CheckNext(ctx context.Context, c *Check, until uint64, pace func(bytes int) error) (found []Damage, more bool, err error) {
	all, err := s.readable()
	if err != nil {
		return nil, false, err
	}
	i := slices.IndexFunc(all, func(b block) bool { return b.index > c.Block })
	if i < 0 {
		if c.Seq < until {
			found = append(found, Damage{First: c.Seq + 1, Last: until, File: blockDir, What: "missing at the end"})
		}
		return found, false, nil
	}
	b, newest := all[i], i == len(all)-1
	last, whole, err := s.checkBlock(ctx, b, c.Seq, pace)
	if err != nil {
		return nil, false, err
	}
	written := newest && last >= until // what follows may be a message that the server is writing
	if !whole && !written {
		r := collector{last: c.Seq}
		if err := r.add(s.scan(b, inspection{}), newest); err != nil {
			return nil, false, err
		}
		if r.report.Unknown != "" {
			return nil, false, unknownFormat(r.report.Unknown)
		}
		found, last = r.report.Damage, r.last
	}
	*c = Check{Block: b.index, Seq: max(c.Seq, last)}
	return found, true, nil
}

// Newest returns the sequence of the newest message, 0 for an empty stream. It reads the last block, up to the first damage. The error is
// ErrUnreadable or that of ctx.
func (s Stream) Newest(ctx context.Context) (uint64, error) {
	all, err := s.readable()
	if err != nil || len(all) == 0 {
		return 0, err
	}
	b := all[len(all)-1]
	first, err := b.firstSequence()
	if err != nil {
		return 0, err
	}
	last, _, err := s.checkBlock(ctx, b, first-1, func(int) error { return nil })
	return last, err
}

// checkBlock reports whether a block consists of good messages whose sequences follow the sequence after, and each other. last is the
// sequence of the last good message before any damage; it is after if there is none. A block that cannot be read is not whole.
func (s Stream) checkBlock(ctx context.Context, b block, after uint64, pace func(bytes int) error) (last uint64, whole bool, err error) {
	h := s.recordHash(b)
	last, whole = after, true
	var stop error                               // of pace
	window, read := make([]byte, leastWindow), 0 // read: bytes since the last call of pace
	end, err := b.walk(ctx, &window, 0, func(_ int64, raw []byte) bool {
		if read += len(raw); read >= checkBytes {
			if stop = pace(read); stop != nil {
				return false
			}
			read = 0
		}
		rec, ok := recordAt(raw, h)
		if !ok || rec.erased || rec.deleted || rec.misfit || rec.seq != last+1 {
			whole = false
			return false
		}
		last = rec.seq
		return true
	})
	if stop != nil || ctx.Err() != nil {
		return 0, false, errors.Join(stop, ctx.Err())
	}
	return last, whole && err == nil && end == b.size, nil
}
