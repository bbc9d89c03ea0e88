package archive

import (
	"bytes"
	"crypto/sha256"
	"io"
	"os"
	"path/filepath"
	"slices"

	"journal/journal/disk"
)

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
