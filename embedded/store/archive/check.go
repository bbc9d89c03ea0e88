package archive

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"journal/journal/disk"
)

// Summary is the result of Check.
type Summary struct {
	Segments int
	Records  uint64 // good ones
	First    uint64 // sequence of the first good record, 0 if there is none
	Last     uint64 // sequence of the last good record
	Bytes    int64  // size of the counted segments
	Chain    Chain  // with which a next segment would begin; wrong if the last segment is damaged
	Damage   []Damage
	Open     bool // the last segment is not sealed
}

// Check reads the whole archive. It verifies the checksums of files and records, the seals, that sequences start at 1 without a gap, and
// the links between the segments. It cannot detect that an archive lacks its end: the caller compares Last with the log. The error is that
// of another version, the context's, or one of the disk. The summary then covers the segments read so far.
func Check(ctx context.Context, dir string) (Summary, error) {
	var r Summary
	next, linked := uint64(1), true // linked: Chain is the link of the segment before
	for s, err := range segments(ctx, dir, 1) {
		if err != nil {
			return r, err
		}
		r.Segments++
		r.Bytes += s.size
		r.Open = s.open()
		r.Records += uint64(len(s.bodies))
		if n := len(s.bodies); n > 0 {
			r.First, r.Last = cmp.Or(r.First, bodySeq(s.bodies[0])), bodySeq(s.bodies[n-1])
		}
		if s.first > next {
			r.Damage = append(r.Damage, gap(next, s.first-1))
			linked = false
		} else if s.first < next {
			s.addDamage(s.first, next-1, "records lie in two segments")
		}
		if s.headed && linked && s.header.before != r.Chain {
			s.addDamage(s.first, s.first, fmt.Sprintf("chain does not follow from #%d", s.first-1))
		}
		whole := len(s.damage) == 0
		if whole {
			r.Chain = s.chain()
		}
		switch {
		case !s.sealed:
		case whole && !s.seal.holds(r.Chain):
			s.addDamage(s.first, s.last, "chain of the seal is not that of the records")
		default:
			r.Chain = s.seal.link
		}
		linked = whole || s.sealed
		r.Damage = append(r.Damage, s.damage...)
		next = max(next, s.next, s.last+1)
	}
	return r, nil
}

// CheckNext checks the sealed segment that holds the sequence after another one, or finds that no segment holds it. It does not decompress
// the segment: the checksum covers the whole file. It returns the last checked sequence, and the damage, nil if there is none. more is false
// if no sealed segment ends later: the open segment is checked when it is opened. pace is called before a file is read, with the file's size.
// An error of pace ends the check. The error is that of pace, of listing the directory or of the machine.
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
	if err := pace(int(min(s.size, maxFile))); err != nil {
		return after, nil, false, err
	}
	path := filepath.Join(dir, s.name)
	b, err := disk.ReadFile(path, maxFile)
	if disk.Transient(err) {
		return after, nil, false, fmt.Errorf("read archive segment: %w", err)
	}
	if _, gone := os.Lstat(path); errors.Is(gone, fs.ErrNotExist) { // the writer continued this short segment and sealed it again meanwhile
		return CheckNext(dir, after, pace)
	}
	if _, _, whole, _ := parseSeal(b); err != nil || !whole {
		found = &Damage{File: s.name, First: s.first, Last: s.last, Reason: "checksum of the file does not hold"}
	}
	return s.last, found, true, nil
}
