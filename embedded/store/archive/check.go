package archive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"journal/journal/disk"
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

// checkBytes is how much of a file is read between two looks at the pace.
const checkBytes = 256 << 10

// CheckNext reads the sealed segment that holds what follows a sequence, without decompressing it: its checksum is over the
// whole file. It gives the last sequence that is accounted for, and nil or what is damaged. more is false behind the last
// sealed segment: the one that grows is checked when it is opened. pace is told of bytes before they are read, and ends the
// reading with its error.
func CheckNext(dir string, after uint64, pace func(bytes int) error) (last uint64, found *Damage, more bool, err error) {
	groups, err := list(dir)
	if err != nil {
		return after, nil, false, err
	}
	i := slices.IndexFunc(groups, func(g []segmentFile) bool { return g[0].last > after })
	if i < 0 {
		return after, nil, false, nil
	}
	s := groups[i][0]
	if s.first > after+1 {
		d := gap(after+1, s.first-1)
		return s.first - 1, &d, true, nil
	}
	whole, err := checkSealed(filepath.Join(dir, s.name), pace)
	if err != nil {
		return after, nil, false, err
	}
	if !whole {
		found = &Damage{File: s.name, First: s.first, Last: s.last, Reason: "checksum of the file does not hold"}
	}
	return s.last, found, true, nil
}

// checkSealed says whether a file ends in the checksum of what stands before. The error is that of pace: a file that
// cannot be read is not whole.
func checkSealed(path string, pace func(bytes int) error) (whole bool, err error) {
	f, fi, err := disk.Open(path)
	if err != nil {
		return false, nil
	}
	defer f.Close()
	left := fi.Size() - sha256.Size
	h, b := sha256.New(), make([]byte, checkBytes)
	for left > 0 {
		n := int(min(left, checkBytes))
		if err := pace(n); err != nil {
			return false, err
		}
		if _, err := io.ReadFull(f, b[:n]); err != nil {
			return false, nil
		}
		h.Write(b[:n])
		left -= int64(n)
	}
	return left == 0 && endsIn(f, h.Sum(nil)), nil
}

// endsIn says whether what is left of a file is some bytes.
func endsIn(f *os.File, want []byte) bool {
	is, err := io.ReadAll(io.LimitReader(f, int64(len(want))+1))
	return err == nil && bytes.Equal(is, want)
}
